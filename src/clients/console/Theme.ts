import { signal } from "@preact/signals"
import { choose, chosen } from "./DeviceSettings.ts"

/** The colours of the page: those of the system, or always one of the two kinds. */
export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const isTheme = (value: unknown): value is Theme => themes.some((theme) => theme === value)

const kept = chosen("theme")

/** The theme that the user has chosen on this device. */
export const theme = signal<Theme>(isTheme(kept) ? kept : "system")

theme.subscribe((value) => (document.documentElement.dataset["theme"] = value))

export const chooseTheme = (value: Theme): void => {
  theme.value = value
  choose("theme", value)
}
