import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.OffsetAttribute;

/**
 * Analyses each line of standard input, a text in UTF-8 written as hexadecimal digits, with Lucene's EnglishAnalyzer, and prints a line
 * of its tokens: term in hexadecimal digits, start and end in bytes. lucene.tsv holds such lines behind their texts. Compile and run with
 * lucene-core and lucene-analysis-common 9.12.3 on the class path.
 */
public class EnglishTokens {
  public static void main(String[] args) throws Exception {
    EnglishAnalyzer analyzer = new EnglishAnalyzer();
    HexFormat hex = HexFormat.of();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.US_ASCII);
    for (String line; (line = in.readLine()) != null; ) {
      String text = new String(hex.parseHex(line), StandardCharsets.UTF_8);
      int[] bytes = new int[text.length() + 1]; // before each UTF-16 unit
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        bytes[i + 1] = bytes[i] + (c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3);
      }
      StringBuilder b = new StringBuilder();
      try (TokenStream tokens = analyzer.tokenStream("text", text)) {
        CharTermAttribute term = tokens.addAttribute(CharTermAttribute.class);
        OffsetAttribute offset = tokens.addAttribute(OffsetAttribute.class);
        tokens.reset();
        while (tokens.incrementToken()) {
          b.append(b.length() == 0 ? "" : " ");
          b.append(hex.formatHex(term.toString().getBytes(StandardCharsets.UTF_8)));
          b.append(' ').append(bytes[offset.startOffset()]).append(' ').append(bytes[offset.endOffset()]);
        }
        tokens.end();
      }
      out.println(b);
    }
    out.flush();
  }
}
