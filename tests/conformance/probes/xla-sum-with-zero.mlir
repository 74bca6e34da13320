module {
  func.func @main() -> tensor<i1> {
    %minus = stablehlo.constant dense<-0.0> : tensor<f32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %barred = stablehlo.optimization_barrier %minus : tensor<f32>
    %sum = stablehlo.add %barred, %zero : tensor<f32>
    %quotient = stablehlo.divide %one, %sum : tensor<f32>
    %right = stablehlo.compare GT, %quotient, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %right : tensor<i1>
  }
}
