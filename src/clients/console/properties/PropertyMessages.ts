import { translated } from "../ChosenLanguage.ts"

/** The texts of the form of properties, which are loaded with it. */
export const propertyTexts = translated("properties", {
  title: "Properties",
  add: "Add property",
  name: "Name of the property",
  kind: "Kind",
  kinds: { text: "Text", number: "Number", date: "Date", boolean: "Checkbox", list: "List" },
  addItem: "Add an item",
  source: "Show source",
  fixed: "This front matter can be changed in its source only."
})
