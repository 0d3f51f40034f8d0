import { useState } from "preact/hooks"
import { SheafError } from "../../client/SheafClient.ts"

/** An action of a dialog: runs it, and has whether it runs and why it failed. Notices are behind the dialog. */
export const useAction = (action: () => Promise<unknown>) => {
  const [isBusy, setIsBusy] = useState(false)
  const [failure, setFailure] = useState<SheafError>()
  const run = async (): Promise<void> => {
    setIsBusy(true)
    setFailure(undefined)
    try {
      await action()
    } catch (error) {
      if (!(error instanceof SheafError)) throw error
      setFailure(error)
    } finally {
      setIsBusy(false)
    }
  }
  return { failure, isBusy, run }
}
