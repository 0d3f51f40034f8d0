import { locale } from "../ChosenLanguage.ts"

const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const

/** A number of bytes for people, such as "1.3 MB". */
export const sizeOf = (bytes: number): string => {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const style = { style: "unit", unit: units[step]!, unitDisplay: "short", maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, style).format(bytes / 1000 ** step)
}
