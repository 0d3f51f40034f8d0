import { SheafError } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { notify } from "./Notices.tsx"

/**
 * Copies something, and says whether it is copied. Errors of the server are thrown to the caller. Pages that came by plain
 * HTTP from another host have no clipboard.
 */
export const copying = async (copy: () => Promise<void>): Promise<void> => {
  try {
    await copy()
  } catch (error) {
    if (error instanceof SheafError) throw error
    // The user or the browser refuses it.
    return notify(texts.notCopied)
  }
  notify(texts.copied)
}

/** Copies a text, and says so. */
export const copyText = (text: string): Promise<void> => copying(() => navigator.clipboard.writeText(text))
