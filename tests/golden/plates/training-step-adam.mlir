module @topos {
  func.func @main(%arg0: tensor<2x1xf32> {tf.aliasing_output = 1 : i32}, %arg1: tensor<2x1xf32> {tf.aliasing_output = 2 : i32}, %arg2: tensor<2x1xf32> {tf.aliasing_output = 3 : i32}, %arg3: tensor<f64> {tf.aliasing_output = 4 : i32}, %arg4: tensor<f64> {tf.aliasing_output = 5 : i32}, %arg5: tensor<3x2xf32>, %arg6: tensor<3x1xf32>, %arg7: tensor<f64>) -> (tensor<f32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<f64>, tensor<f64>) {
    %v4 = stablehlo.dot_general %arg5, %arg0, contracting_dims = [1] x [0] : (tensor<3x2xf32>, tensor<2x1xf32>) -> tensor<3x1xf32>
    %v5 = stablehlo.subtract %v4, %arg6 : tensor<3x1xf32>
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
    %v24 = stablehlo.transpose %arg5, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %v25 = stablehlo.dot_general %v24, %v19, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x1xf32>) -> tensor<2x1xf32>
    %v28 = stablehlo.constant dense<0.0> : tensor<2x1xf32>
    %v29 = stablehlo.add %v28, %v25 : tensor<2x1xf32>
    %v34 = stablehlo.constant dense<0.9> : tensor<f64>
    %v35 = stablehlo.multiply %arg3, %v34 : tensor<f64>
    %v36 = stablehlo.constant dense<0.999> : tensor<f64>
    %v37 = stablehlo.multiply %arg4, %v36 : tensor<f64>
    %v38 = stablehlo.constant dense<1.0> : tensor<f64>
    %v39 = stablehlo.subtract %v38, %v35 : tensor<f64>
    %v40 = stablehlo.constant dense<1.0> : tensor<f64>
    %v41 = stablehlo.subtract %v40, %v37 : tensor<f64>
    %v42 = stablehlo.constant dense<0.9> : tensor<2x1xf32>
    %v43 = stablehlo.multiply %arg1, %v42 : tensor<2x1xf32>
    %v44 = stablehlo.constant dense<0.1> : tensor<2x1xf32>
    %v45 = stablehlo.multiply %v29, %v44 : tensor<2x1xf32>
    %v46 = stablehlo.add %v43, %v45 : tensor<2x1xf32>
    %v47 = stablehlo.multiply %v29, %v29 : tensor<2x1xf32>
    %v48 = stablehlo.constant dense<0.999> : tensor<2x1xf32>
    %v49 = stablehlo.multiply %arg2, %v48 : tensor<2x1xf32>
    %v50 = stablehlo.constant dense<0.001> : tensor<2x1xf32>
    %v51 = stablehlo.multiply %v47, %v50 : tensor<2x1xf32>
    %v52 = stablehlo.add %v49, %v51 : tensor<2x1xf32>
    %v53 = stablehlo.convert %v39 : (tensor<f64>) -> tensor<f32>
    %v54 = stablehlo.broadcast_in_dim %v53, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %v55 = stablehlo.convert %v41 : (tensor<f64>) -> tensor<f32>
    %v56 = stablehlo.broadcast_in_dim %v55, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %v57 = stablehlo.divide %v46, %v54 : tensor<2x1xf32>
    %v58 = stablehlo.divide %v52, %v56 : tensor<2x1xf32>
    %v59 = stablehlo.sqrt %v58 : tensor<2x1xf32>
    %v60 = stablehlo.constant dense<1.0e-8> : tensor<2x1xf32>
    %v61 = stablehlo.add %v59, %v60 : tensor<2x1xf32>
    %v62 = stablehlo.divide %v57, %v61 : tensor<2x1xf32>
    %v63 = stablehlo.convert %arg7 : (tensor<f64>) -> tensor<f32>
    %v64 = stablehlo.broadcast_in_dim %v63, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %v65 = stablehlo.multiply %v62, %v64 : tensor<2x1xf32>
    %v66 = stablehlo.subtract %arg0, %v65 : tensor<2x1xf32>
    return %v7, %v66, %v46, %v52, %v35, %v37 : tensor<f32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<f64>, tensor<f64>
  }
}
