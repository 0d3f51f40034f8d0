import { editorAsset } from "../PageData.ts"

/** Loads the editor. Browsers keep the failure of an import, so each further attempt has an address of its own. */
export const loadEditor = (attempt: number): Promise<typeof import("./Editor.ts")> =>
  attempt === 0 ? import("./Editor.ts") : import(`${editorAsset}?attempt=${attempt}`)
