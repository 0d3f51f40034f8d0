import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted, form } = phrasesIn("es")

export const factors: Translation["factors"] = {
  step: {
    lead: "Su cuenta tiene un segundo factor.",
    back: "Volver"
  },
  passkey: {
    refused: "No se ha usado ninguna clave de acceso.",
    known: "Este dispositivo ya tiene una clave de acceso de una cuenta de este servidor.",
    elsewhere: (host) => `Las claves de acceso de este servidor solo valen en ${host}.`,
    noneHere: "Las claves de acceso necesitan un nombre de host y HTTPS en la dirección de este servidor (PUBLIC_URL).",
    noneInBrowser: "Las claves de acceso necesitan un navegador que las conozca y una página por HTTPS."
  },

  lead: "Con uno de ellos, un inicio de sesión con contraseña pide también un código o una clave de acceso. Una clave de acceso también basta por sí sola.",
  none: "No hay segundos factores.",
  kind: "Tipo",
  kinds: { totp: "Aplicación de autenticación", passkey: "Clave de acceso" },
  passkeyOf: (host) => `Clave de acceso para ${host}`,
  added: "Añadido",
  addApp: "Añadir una aplicación de autenticación",
  addPasskey: "Añadir una clave de acceso",
  rename: "Cambiar el nombre…",
  renameOf: (name) => `Cambiar el nombre de ${name}`,
  remove: "Quitar…",
  removeOf: (name) => `Quitar ${name}`,
  removeConfirm:
    "El factor ya no sirve para iniciar sesión, y sus sesiones siguen. Los códigos de recuperación terminan con el último factor.",
  removeProblems: {
    invalid_state:
      "Es su última forma de iniciar sesión. Añada otro factor o defina una contraseña con «¿Olvidó la contraseña?»."
  },

  app: {
    scan: "Escanee este código con la aplicación de autenticación o introduzca en ella el secreto.",
    picture: "Código QR con el secreto",
    open: "Abrir la aplicación en este dispositivo",
    secret: "Secreto",
    code: "Código que muestra la aplicación",
    add: "Añadir la aplicación",
    problems: { invalid_state: "El código llegó demasiado tarde. Cierre este diálogo y empiece de nuevo." }
  },

  codes: {
    left: (count) =>
      `${form(count, "Queda", "Quedan")} ${counted(count, "código de recuperación", "códigos de recuperación")}.`,
    make: "Crear códigos de recuperación nuevos…",
    makeTitle: "Crear códigos de recuperación nuevos",
    makeConfirm: "Los códigos que tiene ahora terminan.",
    title: "Sus códigos de recuperación",
    lead: "Cada uno sirve una vez, en lugar de un factor perdido. Solo se muestran ahora. Guárdelos donde los encuentre sin este dispositivo.",
    of: (email, host) => `Códigos de recuperación de ${email} para ${host}`,
    print: "Imprimir",
    unkept: "No ha copiado, descargado ni impreso los códigos. No se vuelven a mostrar. ¿Cerrar?"
  },

  needed: {
    title: "Se necesitan dos factores",
    leads: {
      workspace: "Este espacio de trabajo necesita un inicio de sesión con dos factores.",
      server: "Las páginas del servidor necesitan un inicio de sesión con dos factores."
    },
    confirm: "Confirme con un factor que tenga.",
    add: "Añada aquí un segundo factor. El texto que no se ha guardado permanece en este dispositivo."
  }
}
