package trec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// jsonKeys are the keys of R2MED's judgments: query, passage, grade.
var jsonKeys = []string{"q_id", "p_id", "score"}

// jsonJudgment reads {"q_id": ..., "p_id": ..., "score": ...}. It goes through the tokens, because decoding into a struct lets "Q_ID"
// and a second "q_id" overwrite the first, and numbers lose digits on the way through float64.
func jsonJudgment(line []byte) (judgment, error) {
	if !utf8.Valid(line) {
		return judgment{}, errors.New("the line is not valid UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	if t, err := decoder.Token(); err != nil || t != json.Delim('{') {
		return judgment{}, errors.New("expected a JSON object")
	}
	var values [3]json.RawMessage
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return judgment{}, jsonError(err, decoder)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return judgment{}, jsonError(err, decoder)
		}
		if i := slices.Index(jsonKeys, key.(string)); i >= 0 { // a key is a string, or Token would have failed
			if values[i] != nil {
				return judgment{}, fmt.Errorf("%q appears twice", jsonKeys[i])
			}
			values[i] = value
		}
	}
	if _, err := decoder.Token(); err != nil {
		return judgment{}, jsonError(err, decoder)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return judgment{}, errors.New("there is more than one JSON value on the line")
	}
	for i, v := range values {
		if v == nil {
			return judgment{}, fmt.Errorf("%q is missing; judgments have the keys %q", jsonKeys[i], jsonKeys)
		}
	}
	query, err := jsonID("q_id", values[0])
	if err != nil {
		return judgment{}, err
	}
	document, err := jsonID("p_id", values[1])
	if err != nil {
		return judgment{}, err
	}
	grade, err := parseGrade(string(values[2]))
	return judgment{query, document, grade}, err
}

// jsonID reads an id: the text of a string, or the digits of a number as they are written.
func jsonID(key string, raw json.RawMessage) (string, error) {
	id := string(raw)
	switch raw[0] {
	case '"':
		if err := json.Unmarshal(raw, &id); err != nil {
			return "", fmt.Errorf("%q: %w", key, err)
		}
		if id == "" {
			return "", fmt.Errorf("%q is empty", key)
		}
	case '{', '[', 't', 'f', 'n':
		return "", fmt.Errorf("%q is %s; use a string or a number", key, raw)
	}
	return id, nil
}

// jsonError says where the JSON of a line goes wrong.
func jsonError(err error, decoder *json.Decoder) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON object is cut off")
	}
	return fmt.Errorf("broken JSON at byte %d: %w", decoder.InputOffset()+1, err)
}
