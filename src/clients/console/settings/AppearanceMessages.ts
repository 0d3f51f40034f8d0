import { translated } from "../ChosenLanguage.ts"

/** The texts of what is chosen for a device, with other words by which the palette finds each. */
export const appearanceTexts = translated("appearance", {
  title: "Appearance",
  lead: "These choices hold on this device.",
  command: (label: string, value: string) => `${label}: ${value}`,
  theme: {
    label: "Theme",
    values: {
      system: ["As the system", "colours colors automatic"],
      light: ["Light", "colours colors day bright"],
      dark: ["Dark", "colours colors night"]
    }
  },
  size: {
    label: "Size of the text",
    values: {
      normal: ["Normal", "font letters"],
      small: ["Small", "font letters smaller"],
      large: ["Large", "font letters bigger zoom"],
      larger: ["Larger", "font letters bigger zoom"]
    }
  },
  width: {
    label: "Width of the text",
    values: { normal: ["Normal", "column lines narrow"], wide: ["Wide", "column lines broad"] }
  }
})
