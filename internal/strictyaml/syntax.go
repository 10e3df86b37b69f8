package strictyaml

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

const (
	aKey     = "a key must be a word on one line, followed by a colon and a space"
	indent   = "check the indentation and the quotes, here and in the line above"
	tab      = "a tab is used for indentation"
	noTab    = "use spaces"
	missing  = "a value is missing before this"
	misfit   = "this does not fit what stands before it"
	noOpener = "this bracket closes nothing"
	header   = "the text block's first line is not readable"
	noHeader = "end that line with | or > alone, and indent the lines below it"
)

// plain puts the library's messages into the words of somebody who writes the file: message and hint. Others are passed on.
var plain = map[string][2]string{
	"mapping value is not allowed in this context": {`this value holds a second "key: value"`,
		`put quotes around text with ": " in it, or align the next line's key with the keys above it`},
	"value is not allowed in this context":                               {misfit, indent},
	"value is not allowed in this context. map key-value is pre-defined": {misfit, indent},
	"non-map value is specified":                                         {"`key: value` is expected here", indent},
	"unexpected key name":                                                {aKey, ""},
	"found an invalid key for this map":                                  {aKey, ""},
	"map key definition includes an implicit line break":                 {aKey, ""},
	"could not find end character of single-quoted text":                 {"the single quote that opens here is never closed", "write '' for a single quote inside the text"},
	"could not find end character of double-quoted text":                 {"the double quote that opens here is never closed", `write \" for a double quote inside the text`},
	"sequence end token ']' not found":                                   {"the bracket [ that opens here is never closed", ""},
	"could not find flow mapping end token '}'":                          {"the bracket { that opens here is never closed", ""},
	"could not find '[' character corresponding to ']'":                  {noOpener, ""},
	"could not find '{' character corresponding to '}'":                  {noOpener, ""},
	"',' or ']' must be specified":                                       {"a comma or ] is missing before this", ""},
	"',' or '}' must be specified":                                       {"a comma or } is missing before this", ""},
	"expected sequence element, but found ','":                           {missing, ""},
	"unexpected scalar value type":                                       {missing, ""},
	"could not find flow map content":                                    {missing, ""},
	"block sequence entries are not allowed in this context": {"a list cannot start on the line of its key",
		`put each "- item" on a line of its own, write [a, b], or put quotes around text that starts with -`},
	"found character '\t' that cannot start any token":                          {tab, noTab},
	"tab character cannot use as a map key directly":                            {tab, noTab},
	"tab character cannot use as a sequence delimiter":                          {tab, noTab},
	"found a tab character where an indentation space is expected":              {tab, noTab},
	"tab character cannot be used for indentation in double-quoted text":        {tab, noTab},
	"tab character cannot be used for indentation in single-quoted text":        {tab, noTab},
	"'@' is a reserved character":                                               {"text cannot start with @", "put quotes around it"},
	"'`' is a reserved character":                                               {"text cannot start with `", "put quotes around it"},
	"value cannot be placed after document separator":                           {"keys cannot start on the line of ---", "start them on the next line"},
	"could not find multi-line content":                                         {header, noHeader},
	"invalid number of indent is specified in the multi-line header":            {header, noHeader},
	"invalid number of indent is specified after space only":                    {header, noHeader},
	"found unexpected document separator":                                       {"a line that starts with --- or ... stands inside quotes", "indent it"},
	"found unexpected character after high surrogate for UTF-16 surrogate pair": {`half of a \u pair stands alone`, "write the character itself"},
}

// syntaxError turns the library's error, which spans several lines, into one with a place.
func (s source) syntaxError(err error) error {
	var syntax yaml.Error
	if !errors.As(err, &syntax) {
		return &Error{Pos: s.place(nil), Message: "not readable as YAML: " + oneLine(err.Error())}
	}
	out := &Error{Pos: s.place(syntax.GetToken())}
	message := syntax.GetMessage()
	if known, ok := plain[message]; ok {
		out.Message, out.Hint = known[0], known[1]
	} else if escape, ok := strings.CutPrefix(message, "found unknown escape character "); ok {
		out.Message, out.Hint = fmt.Sprintf(`\%s is not an escape in double quotes`, strings.Trim(escape, "'")), `write \\ for a backslash, or use single quotes`
	} else if strings.HasPrefix(message, "invalid header option") {
		out.Message, out.Hint = header, noHeader
	} else {
		out.Message = "not readable as YAML: " + oneLine(message)
	}
	return out
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
