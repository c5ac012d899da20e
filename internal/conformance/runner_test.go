package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWrongAnswersAreFound runs files with one right case, some wrong ones and one that is
// not supported: the runner must tell them apart.
func TestWrongAnswersAreFound(t *testing.T) {
	for file, c := range map[string]struct {
		run     func(string) (*Report, error)
		lines   []string
		count   [3]int
		told    []string
		missing string
	}{
		"broadcast.jsonl": {Broadcast, []string{
			`{"id":"right","shapes":[[2,1],[3]],"torch_op":"add","ok":true,"result":[2,3],"bad_axes_from_right":[],"backcompat_warn":false}`,
			`{"id":"shape","shapes":[[2,1],[3]],"torch_op":"add","ok":true,"result":[2,4],"bad_axes_from_right":[],"backcompat_warn":false}`,
			`{"id":"verdict","shapes":[[2],[3]],"torch_op":"add","ok":true,"result":[3],"bad_axes_from_right":[],"backcompat_warn":false}`,
			`{"id":"words","shapes":[[2],[3]],"torch_op":"add","ok":false,"error":"no","bad_axes_from_right":[1],"backcompat_warn":false}`,
			`{"id":"axes","shapes":[[2],[3]],"torch_op":"add","ok":false,"error":"The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0","bad_axes_from_right":[1,2],"backcompat_warn":false}`,
			`{"id":"warning","shapes":[[4,1],[4]],"torch_op":"add","ok":true,"result":[4,4],"bad_axes_from_right":[],"backcompat_warn":false}`,
			`{"id":"other","shapes":[[4],[4]],"torch_op":"addbmm","ok":true,"result":[4],"bad_axes_from_right":[],"backcompat_warn":false}`,
		}, [3]int{1, 5, 1}, []string{"shape add", "want [2 4], got [2, 3]", "verdict", "words", "want \"no\"", "axes",
			"warning"}, "the operation, 1 cases: addbmm 1"},
		"reduce_dtype.jsonl": {DTypes, []string{
			`{"id":"right","kind":"reduce","op":"sum","shape":[2,3],"dtype":"int32","dim":1,"keepdim":true,"ok":true,"result_shape":[2,1],"result_dtype":"int64"}`,
			`{"id":"dtype","kind":"reduce","op":"sum","shape":[2,3],"dtype":"int32","dim":1,"keepdim":true,"ok":true,"result_shape":[2,1],"result_dtype":"int32"}`,
			`{"id":"keep","kind":"reduce","op":"sum","shape":[2,3],"dtype":"int32","dim":1,"keepdim":false,"ok":true,"result_shape":[2,1],"result_dtype":"int64"}`,
			`{"id":"data","kind":"reduce","op":"prod","shape":[0],"dtype":"float32","dim":null,"keepdim":null,"ok":true,"result_shape":[],"result_dtype":"float32","result_data":[0]}`,
			`{"id":"promotion","kind":"promote","op":"add","a":{"dtype":"int64","form":"tensor"},"b":{"number":2.5,"form":"float"},"ok":true,"result_dtype":"float64"}`,
			`{"id":"complex","kind":"unary","op":"exp","a":{"dtype":"complex64","form":"tensor"},"ok":true,"result_dtype":"complex64"}`,
		}, [3]int{1, 4, 1}, []string{"want dtype int32, got int64", "want shape [2 1], got [2]", "data",
			"want dtype float64, got float32"}, "dtype complex64, 1 cases: exp 1"},
		"grads.jsonl": {Grads, []string{
			`{"id":"right","op":"square","attrs":{},"inputs":[{"name":"x","shape":[1],"dtype":"float64","data":[3.0],"requires_grad":true}],"output":{"shape":[1],"dtype":"float64","data":[9.0]},"upstream":[1.0],"grads":{"x":[6.0]},"second":{"v":{"x":[1.0]},"hvp":{"x":[2.0]}}}`,
			`{"id":"value","op":"square","attrs":{},"inputs":[{"name":"x","shape":[1],"dtype":"float64","data":[3.0],"requires_grad":true}],"output":{"shape":[1],"dtype":"float64","data":[9.00001]},"upstream":[1.0],"grads":{"x":[6.0]}}`,
			`{"id":"gradient","op":"square","attrs":{},"inputs":[{"name":"x","shape":[1],"dtype":"float64","data":[3.0],"requires_grad":true}],"output":{"shape":[1],"dtype":"float64","data":[9.0]},"upstream":[1.0],"grads":{"x":[6.00000001]}}`,
			`{"id":"second","op":"square","attrs":{},"inputs":[{"name":"x","shape":[1],"dtype":"float64","data":[3.0],"requires_grad":true}],"output":{"shape":[1],"dtype":"float64","data":[9.0]},"upstream":[1.0],"grads":{"x":[6.0]},"second":{"v":{"x":[1.0]},"hvp":{"x":["NaN"]}}}`,
			`{"id":"argument","op":"softmax","attrs":{"dim":0,"temperature":2},"inputs":[{"name":"x","shape":[1],"dtype":"float64","data":[3.0],"requires_grad":true}],"output":{"shape":[1],"dtype":"float64","data":[1.0]},"upstream":[1.0],"grads":{"x":[0.0]}}`,
		}, [3]int{1, 3, 1}, []string{"the value by the oracle", "the gradient of x", "the second gradient of x"},
			"argument temperature=2, 1 cases: softmax 1"},
		"symbolic.jsonl": {Symbolic, []string{
			`{"id":"right","group":"hand","program":[{"op":"input","out":"x","shape":["n"]},{"op":"input","out":"y","shape":["n",1]},{"op":"add","in":["x","y"],"out":"z"}],"least":{"n":0},"verdict":"always","samples":[{"dims":{"n":3},"ok":true,"result_shape":[3,3]}]}`,
			`{"id":"sample","group":"hand","program":[{"op":"input","out":"x","shape":["n"]},{"op":"add","in":["x","x"],"out":"z"}],"least":{"n":0},"verdict":"always","samples":[{"dims":{"n":3},"ok":true,"result_shape":[4]}]}`,
			`{"id":"verdict","group":"hand","program":[{"op":"input","out":"x","shape":["n"]},{"op":"add","in":["x","x"],"out":"z"}],"least":{"n":0},"verdict":"never","samples":[]}`,
		}, [3]int{1, 2, 0}, []string{"want shape [4]", "PyTorch says never, this is proved"}, ""},
		"inplace.jsonl": {InPlace, []string{
			`{"id":"right","group":"g","program":[{"op":"leaf","out":"x","shape":[2],"dtype":"float64","data":[1,2]},{"op":"select","in":["x"],"out":"v","attrs":{"dim":0,"index":0}},{"op":"add_","in":["v"],"attrs":{"value":5}}],"ok":true,"alias":[],"values":{"x":{"shape":[2],"dtype":"float64","data":[6,2]},"v":{"shape":[],"dtype":"float64","data":[6]}},"grads":{}}`,
			`{"id":"value","group":"g","program":[{"op":"leaf","out":"x","shape":[2],"dtype":"float64","data":[1,2]},{"op":"select","in":["x"],"out":"v","attrs":{"dim":0,"index":0}},{"op":"add_","in":["v"],"attrs":{"value":5}}],"ok":true,"alias":[],"values":{"x":{"shape":[2],"dtype":"float64","data":[1,2]}},"grads":{}}`,
			`{"id":"kind","group":"g","program":[{"op":"leaf","out":"x","shape":[2],"dtype":"float64","data":[1,2]},{"op":"leaf","out":"y","shape":[3,2],"dtype":"float64","data":[1,2,3,4,5,6]},{"op":"add_","in":["x","y"]}],"ok":false,"error_kind":"dtype","error":"no","alias":["none"]}`,
		}, [3]int{1, 2, 0}, []string{"x by the oracle, element 0: want 1, got 6", "want a refusal dtype"}, ""},
	} {
		t.Run(file, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(strings.Join(c.lines, "\n")), 0o600))
			r, err := c.run(dir)
			require.NoError(t, err)
			passed, failed, unsupported := r.Count()
			require.Equal(t, c.count, [3]int{passed, failed, unsupported}, "%s\n%s", r.Failures(), r.Missing())
			for _, words := range c.told {
				require.Contains(t, r.Failures(), words)
			}
			require.Contains(t, r.Missing(), c.missing)
		})
	}
	_, err := Broadcast(t.TempDir())
	require.ErrorIs(t, err, os.ErrNotExist)
}
