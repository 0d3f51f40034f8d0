/** The texts of charts, which are loaded with them. */
export const chartTexts = {
  table: "Show as a table",
  time: "Time",
  none: "–"
}
