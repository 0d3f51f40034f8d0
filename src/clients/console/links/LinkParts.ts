/**
 * What is loaded when a link to a note is followed or the pointer rests on it, and when the links to a note are shown, or may
 * have to change.
 */
import "../SharedParts.ts"
import { adoptStyle } from "../style/adoptStyle.ts"
import style from "../style/links.css" with { type: "text" }

adoptStyle(style)

export { Backlinks } from "./Backlinks.tsx"
export { followBroken } from "./FollowBroken.ts"
export { followLink, followTarget } from "./FollowLink.ts"
export { preview } from "./LinkPreview.ts"
export { makeMissingNote } from "./MissingNote.ts"
export { askAboutLinks } from "./Renaming.tsx"
