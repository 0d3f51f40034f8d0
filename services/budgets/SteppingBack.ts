import { isMainThread } from "node:worker_threads"
import { stepBack } from "./StepBack.ts"
import { beginning } from "./Thread.ts"

/** Where a thread begins (`Thread.begin`): it steps back before it reads the modules that it is made of, which is work. */
if (!isMainThread) {
  const { as, entry } = beginning()
  stepBack(as)
  await import(entry)
}
