import { adoptStyle } from "./adoptStyle.ts"
import text from "./touch.css" with { type: "text" }

adoptStyle(text)
