// One step of gradient descent on the squares of x·w, and a check that the loss is less than 1000.
module @descent attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  "sdy.mesh"() <{sym_name = "mesh", mesh = #sdy.mesh<["data"=4, "tensor"=2]>}> : () -> ()
  func.func public @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
      %k: tensor<i64> {sdy.sharding = #sdy.sharding<@mesh, []>},
      %w: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"tensor"}]>, tf.aliasing_output = 2 : i32})
      -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}, tensor<i64> {sdy.sharding = #sdy.sharding<@mesh, []>},
          tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"tensor"}]>}, tensor<i1> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<16x8xf32>, tensor<8x6xf32>) -> tensor<16x6xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %most = stablehlo.constant dense<1000.0> : tensor<f32>
    %squares = stablehlo.multiply %y, %y : tensor<16x6xf32>
    %sum = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x6xf32>, tensor<f32>) -> tensor<f32>
    %loss = stablehlo.multiply %sum, %half : tensor<f32>
    %slope = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<16x8xf32>, tensor<16x6xf32>) -> tensor<8x6xf32>
    %next = stablehlo.subtract %w, %slope : tensor<8x6xf32>
    %small = stablehlo.compare LT, %loss, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %loss, %k, %next, %small : tensor<f32>, tensor<i64>, tensor<8x6xf32>, tensor<i1>
  }
}
