import { translated } from "../ChosenLanguage.ts"

/** The texts of the filter by a property, which are loaded with it. */
export const filterTexts = translated("propertyFilter", {
  title: "Filter by a property",
  property: "Property",
  apply: "Filter",
  comparison: "Comparison",
  comparisons: {
    is: "is",
    contains: "contains",
    on: "on",
    before: "before",
    after: "after",
    yes: "yes",
    no: "no",
    set: "has a value",
    unset: "has no value"
  },
  value: "Value",
  none: "No note has properties."
})
