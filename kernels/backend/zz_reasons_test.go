package backend
import ("testing";"math/rand/v2";"fmt";"sort"
"github.com/broadloom/broadloom/kernels/internal/rowtest"
"github.com/broadloom/broadloom/kernels/lower")
func TestReasons(t *testing.T){
 m:=map[string]int{}
 for seed:=range uint64(3000){ r:=rand.New(rand.NewPCG(seed,2)); p:=rowtest.Program(r); _,err:=lower.Compile(p,lower.AVX2); if err!=nil{m[err.Error()]++} else {m["ok"]++}}
 var ks []string; for k:=range m{ks=append(ks,k)}; sort.Slice(ks,func(i,j int)bool{return m[ks[i]]>m[ks[j]]}); for _,k:=range ks{fmt.Println(m[k],k)}
}
