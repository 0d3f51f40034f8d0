import { adoptStyle } from "./adoptStyle.ts"
import text from "./on-demand.css" with { type: "text" }

adoptStyle(text)
