import { translated } from "../../ChosenLanguage.ts"

/** The texts of charts, which are loaded with them. */
export const chartTexts = translated("charts", {
  table: "Show as a table",
  time: "Time",
  none: "–"
})
