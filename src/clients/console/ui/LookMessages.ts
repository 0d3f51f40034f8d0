import { translated } from "../ChosenLanguage.ts"

/** The texts by which notebooks and tags get their looks, which are loaded with their dialogs. */
export const lookTexts = translated("looks", {
  notebookName: "Name of the notebook",
  topLevel: "Top level",
  notebookDialogs: { create: "New notebook", edit: "Edit the notebook", move: "Move to…" },
  colors: {
    label: "Colour",
    none: "No colour",
    other: "Another colour",
    names: {
      red: "Red",
      orange: "Orange",
      yellow: "Yellow",
      green: "Green",
      teal: "Teal",
      blue: "Blue",
      violet: "Violet",
      pink: "Pink",
      brown: "Brown",
      grey: "Grey"
    }
  },
  icons: { label: "Icon", none: "none" }
})
