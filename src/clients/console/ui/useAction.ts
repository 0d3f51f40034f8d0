import { useState } from "preact/hooks"
import { SheafError } from "../../client/SheafClient.ts"

/** Runs actions of a dialog, and has whether one runs and why the last one failed, which the dialog shows until the next. */
export const useAction = () => {
  const [isBusy, setIsBusy] = useState(false)
  const [failure, setFailure] = useState<SheafError>()
  const run = async (action: () => Promise<unknown>): Promise<void> => {
    setIsBusy(true)
    try {
      await action()
      // Not before: the dialog would move under the pointer, and the second click of a double click would be on something else.
      setFailure(undefined)
    } catch (error) {
      if (!(error instanceof SheafError)) throw error
      setFailure(error)
    } finally {
      setIsBusy(false)
    }
  }
  return { failure, isBusy, run }
}
