import { editorAsset } from "../PageData.ts"

export type WritingParts = typeof import("./WritingParts.ts")

let parts: WritingParts | undefined

/** Loads the editor once. Browsers keep the failure of an import, so each further attempt has an address of its own. */
export const loadEditor = async (attempt: number): Promise<WritingParts> =>
  (parts ??= await (attempt === 0 ? import("./WritingParts.ts") : import(`${editorAsset}?attempt=${attempt}`)))
