package canonical

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestTypes holds what becomes of the words that corpora have for types.
func TestTypes(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"string", `{"type":"string"}`},
		{"STRING", `{"type":"string"}`},
		{"str, optional", `{"type":"string"}`},
		{"Optional[int]", `{"type":"integer"}`},
		{"int | None", `{"type":"integer"}`},
		{"Union[str, None]", `{"type":"string"}`},
		{"Union[str, int]", `{}`},
		{"int | str", `{}`},
		{"List[str]", `{"type":"array","items":{"type":"string"}}`},
		{"Sequence[str]", `{"type":"array","items":{"type":"string"}}`},
		{"list of str", `{"type":"array","items":{"type":"string"}}`},
		{"Optional[List[float]]", `{"type":"array","items":{"type":"number"}}`},
		{"Dict[str, int]", `{"type":"object"}`},
		{"HashMap", `{"type":"object"}`},
		{"np.ndarray", `{"type":"array"}`},
		{"bytes", `{"type":"string"}`},
		{"date", `{"type":"string"}`},
		{"Literal['x', 'Y'], optional", `{"enum":["x","Y"]}`},
		{"Literal[1, 2]", `{"enum":[1,2]}`},
		{"Any", `{}`},
		{"Widget", `{"type":"Widget"}`},
		{"Literal[x]", `{"type":"Literal[x]"}`},
		{"|", `{"type":"|"}`},
	} {
		have, _ := AppendSchema(nil, jsontext.JSON(`{"type":"`+c.word+`"}`))
		if string(have) != c.want {
			t.Errorf("%s: want %s, have %s", c.word, c.want, have)
		}
	}
}
