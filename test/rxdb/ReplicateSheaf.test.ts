import { describe } from "vitest"
import { testAdapter } from "../support/adapters/AdapterRules.ts"
import { startRxDevice } from "../support/adapters/RxDevice.ts"

describe("a replicated RxDB collection", () => {
  testAdapter(startRxDevice)
})
