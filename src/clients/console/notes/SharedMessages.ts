import { translated } from "../ChosenLanguage.ts"
import type { SharedOutcome } from "./SharedContent.ts"

/** The texts of the dialog of shared content, which are loaded with it. */
export const sharedTexts = translated("shared", {
  title: "Shared with Sheaf",
  lead: (time: string) => `Another app on this device has shared this, ${time}. Save it as a note?`,
  unchecked:
    "The server has not checked where this comes from. A page of another site could have sent it: save it only if you have shared it.",
  later: "This device keeps it. The note is made as soon as the server can be reached and you are signed in.",
  files: "Files",
  save: "Save as a note",
  discard: "Discard",
  discardConfirm: "Discard what was shared? This cannot be undone.",
  outcomes: {
    kept: "The server cannot be reached. This device keeps what was shared, until you save it as a note here.",
    foreign: "A page of another site has sent something to Sheaf. It was not kept: only apps on this device can share.",
    lost: "What was shared could not be kept. Share it again.",
    full: "This browser has no room for what was shared. Free some space, and try again.",
    many: "What was shared was not kept, because 20 contents wait. Save or discard these, and share it again.",
    large:
      "What was shared was not kept: a text has at most 1 MB, and everything that waits 32 MB. Upload files in a note."
  } satisfies Record<SharedOutcome, string>
})

/** What has become of the content with which the browser came, by the word in its address. */
export const outcomeOfShared = (word: string): string | undefined => {
  const { outcomes } = sharedTexts
  return Object.hasOwn(outcomes, word) ? outcomes[word as SharedOutcome] : undefined
}
