import { translated } from "../ChosenLanguage.ts"
import type { SharedRefusal } from "./SharedContent.ts"

/** The texts of the dialog of shared content, which are loaded with it. */
export const sharedTexts = translated("shared", {
  title: "Shared with Sheaf",
  lead: (time: string) => `Another app on this device has shared this, ${time}. Save it as a note?`,
  files: "Files",
  save: "Save as a note",
  discard: "Discard",
  discardConfirm: "Discard what was shared? This cannot be undone.",
  refusals: {
    foreign: "A page of another site has sent something to Sheaf. It was not kept: only apps on this device can share.",
    lost: "What was shared could not be kept. Share it again.",
    many: "What was shared was not kept, because 20 contents wait. Save or discard these, and share it again.",
    large:
      "What was shared was not kept: a text has at most 1 MB, and everything that waits 32 MB. Upload files in a note."
  } satisfies Record<SharedRefusal, string>
})

/** Why the content with which the browser came was not kept, by what its address says. */
export const refusedShared = (why: string): string | undefined => {
  const { refusals } = sharedTexts
  return Object.hasOwn(refusals, why) ? refusals[why as SharedRefusal] : undefined
}
