import { texts } from "../Messages.ts"
import { notify } from "./Notices.tsx"

/** Copies a text, and says so. Pages that came by plain HTTP from another host have no clipboard. */
export const copyText = (text: string): Promise<void> =>
  navigator.clipboard.writeText(text).then(
    () => notify(texts.copied),
    // The user or the browser refuses it.
    () => notify(texts.notCopied)
  )
