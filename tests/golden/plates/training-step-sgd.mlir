module @topos {
  func.func @main(%arg0: tensor<2x1xf32> {tf.aliasing_output = 1 : i32}, %arg1: tensor<3x2xf32>, %arg2: tensor<3x1xf32>, %arg3: tensor<f64>) -> (tensor<f32>, tensor<2x1xf32>) {
    %v4 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0] : (tensor<3x2xf32>, tensor<2x1xf32>) -> tensor<3x1xf32>
    %v5 = stablehlo.subtract %v4, %arg2 : tensor<3x1xf32>
    %v6 = stablehlo.multiply %v5, %v5 : tensor<3x1xf32>
    %v7_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v7 = stablehlo.reduce(%v6 init: %v7_seed) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x1xf32>, tensor<f32>) -> tensor<f32>
    %v8 = stablehlo.constant dense<1.0> : tensor<f32>
    %v9 = stablehlo.broadcast_in_dim %v8, dims = [] : (tensor<f32>) -> tensor<3x1xf32>
    %v10 = stablehlo.constant dense<0.0> : tensor<3x1xf32>
    %v11 = stablehlo.add %v10, %v9 : tensor<3x1xf32>
    %v12 = stablehlo.multiply %v11, %v5 : tensor<3x1xf32>
    %v13 = stablehlo.multiply %v11, %v5 : tensor<3x1xf32>
    %v14 = stablehlo.constant dense<0.0> : tensor<3x1xf32>
    %v15 = stablehlo.add %v14, %v12 : tensor<3x1xf32>
    %v16 = stablehlo.add %v15, %v13 : tensor<3x1xf32>
    %v18 = stablehlo.constant dense<0.0> : tensor<3x1xf32>
    %v19 = stablehlo.add %v18, %v16 : tensor<3x1xf32>
    %v24 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %v25 = stablehlo.dot_general %v24, %v19, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x1xf32>) -> tensor<2x1xf32>
    %v28 = stablehlo.constant dense<0.0> : tensor<2x1xf32>
    %v29 = stablehlo.add %v28, %v25 : tensor<2x1xf32>
    %v30 = stablehlo.convert %arg3 : (tensor<f64>) -> tensor<f32>
    %v31 = stablehlo.broadcast_in_dim %v30, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %v32 = stablehlo.multiply %v29, %v31 : tensor<2x1xf32>
    %v33 = stablehlo.subtract %arg0, %v32 : tensor<2x1xf32>
    return %v7, %v33 : tensor<f32>, tensor<2x1xf32>
  }
}
