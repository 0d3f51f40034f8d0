import type { SharedRefusal } from "./SharedContent.ts"

const refusals: Readonly<Record<SharedRefusal, string>> = {
  foreign: "A page of another site has sent something to Sheaf. It was not kept: only apps on this device can share.",
  lost: "What was shared could not be kept. Share it again.",
  many: "What was shared was not kept, because 20 contents wait. Save or discard these, and share it again.",
  large:
    "What was shared was not kept: a text has at most 1 MB, and everything that waits 32 MB. Upload files in a note."
}

/** Why the content with which the browser came was not kept. */
export const refusedShared = (): string | undefined => {
  const why = new URLSearchParams(location.search).get("shared")
  return why !== null && Object.hasOwn(refusals, why) ? refusals[why as SharedRefusal] : undefined
}
