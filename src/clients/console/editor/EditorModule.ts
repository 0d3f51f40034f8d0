import { editorAsset } from "../PageData.ts"

export type WritingParts = typeof import("./WritingParts.ts")

/** Loads the editor. Browsers keep the failure of an import, so each further attempt has an address of its own. */
export const loadEditor = (attempt: number): Promise<WritingParts> =>
  attempt === 0 ? import("./WritingParts.ts") : import(`${editorAsset}?attempt=${attempt}`)
