import { translated } from "../ChosenLanguage.ts"

/** What is said about files that are attached to a note. */
export const attachingTexts = translated("attaching", {
  uploading: (name: string, percent: number) => `${name}: ${percent} %`,
  tooLarge: (name: string) => `${name} is larger than the plan allows.`,
  unreadable: (name: string) => `${name} cannot be read. A folder cannot be attached.`,
  notAttached: (name: string, reason: string) => `${name} was not attached: ${reason}`
})
