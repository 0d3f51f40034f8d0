import { translated } from "../../ChosenLanguage.ts"

/** The texts about folders that `sheaf sync` keeps. The start page has some of them too. */
export const folderTexts = translated("folders", {
  connect: "Connect a folder",
  lead: "The command sheaf sync keeps a folder of Markdown files equal to your notes.",
  nameHint: "Its path on the device"
})
