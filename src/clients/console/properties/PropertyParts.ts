/** The form of properties, with the reader of YAML, which is loaded for notes with front matter. */
import "../SharedParts.ts"
import { adoptStyle } from "../style/adoptStyle.ts"
import style from "../style/properties.css" with { type: "text" }

adoptStyle(style)

export { PropertyForm } from "./PropertyForm.tsx"
