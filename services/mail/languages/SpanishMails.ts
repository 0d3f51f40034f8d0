import { phrasesIn } from "../../languages/Phrases.ts"
import type { MailTexts } from "./EnglishMails.ts"

const { counted, form } = phrasesIn("es")
const line = (text: string): string => `    ${text}`
const from = (ip: string | null): string => (ip === null ? "" : `, desde la dirección ${ip}`)

export const spanish: MailTexts = {
  roles: { owner: "propietario", admin: "administrador", editor: "redactor", viewer: "lector" },
  invitation: ({ email, inviter, role, until, url, workspace }) => [
    `${inviter || "Alguien"} le invita a ${workspace === "" ? "un espacio de trabajo" : `«${workspace}»`}`,
    "Hola:",
    `${[inviter, `<${email}>`].join(" ").trim()} le invita al espacio de trabajo${workspace === "" ? "" : ` «${workspace}»`}, con el rol ${role}.`,
    "Para aceptar, abra este enlace:",
    line(url),
    `Es válido hasta ${until}, y solo para usted: no lo comparta.`,
    "Si no sabe quién le ha invitado, ignore este correo. No ocurre nada si no acepta."
  ],
  passwordReset: ({ link, token, url }) => [
    "Restablecer su contraseña",
    "Hola:",
    `alguien, esperamos que usted, pidió una contraseña nueva en ${url}. Para elegirla, abra este enlace:`,
    line(link),
    "Funciona una vez, durante una hora. Si su aplicación pide un token, use este:",
    line(token),
    "Si no fue usted, ignore este correo: su contraseña no cambia. No comparta el enlace ni el token."
  ],
  confirmation: ({ email, link, url }) => [
    "Confirme su dirección de correo",
    "Hola:",
    `una cuenta en ${url} usa la dirección de correo ${email}. Si la cuenta es suya, abra este enlace para confirmar la dirección:`,
    line(link),
    "El enlace funciona durante siete días.",
    "Si no conoce esta cuenta, ignore este correo: la dirección queda sin confirmar."
  ],
  emailChanged: ({ at, email, url }) => [
    "Su dirección de correo ha cambiado",
    "Hola:",
    `su cuenta en ${url} tiene ahora la dirección de correo ${email}, desde ${at}. Esta dirección no recibe más correos.`,
    "Si fue usted, no tiene que hacer nada.",
    "Si no fue usted, otra persona conoce su contraseña: pida ayuda de inmediato al administrador de este servidor y cambie la contraseña en los demás lugares donde la use."
  ],
  signedIn: (name, platform) => [
    "Inicio de sesión en un dispositivo nuevo",
    `alguien inició sesión en su cuenta con un dispositivo nuevo, «${name}» (${platform}),`
  ],
  passwordChanged: ["Su contraseña ha cambiado", "la contraseña de su cuenta se cambió"],
  appConnected: (name, place) => [
    "Una nueva aplicación conectada",
    `se conectó con su cuenta una aplicación que se llama «${name}» (${place})`
  ],
  identityLinked: (name) => [
    "Una nueva forma de iniciar sesión",
    `el inicio de sesión con «${name}» se conectó con su cuenta`
  ],
  factorAdded: (name) => [
    "Un nuevo segundo factor",
    `el factor «${name}», con el que inicia sesión, se añadió a su cuenta`
  ],
  factorRemoved: (name) => ["Se quitó un segundo factor", `el factor «${name}» se quitó de su cuenta`],
  factorsReset: [
    "Se quitaron sus segundos factores",
    "un operador del servidor quitó todos los segundos factores y códigos de recuperación de su cuenta"
  ],
  wrongCodes: [
    "Códigos incorrectos para su cuenta",
    "alguien envió la contraseña correcta de su cuenta, o tenía una sesión, y tres códigos incorrectos del segundo factor"
  ],
  keyMade: (name, prefix) => [
    "Una nueva clave de API",
    `con su cuenta se creó una nueva clave de API, «${name}», que empieza por ${prefix},`
  ],
  webhookMade: (host) => ["Un nuevo webhook", `con su cuenta se creó un nuevo webhook a ${host}`],
  mailsSwitchedOff: [
    "Los correos sobre su cuenta se han desactivado",
    "este es el último correo sobre inicios de sesión y cambios de su cuenta: estos correos se desactivaron"
  ],
  security: ([subject, sentence], { at, ip, reset, url }) => [
    subject,
    "Hola:",
    `${sentence} en ${url}, el ${at}${from(ip)}.`,
    "Si fue usted, no tiene que hacer nada.",
    "Si no fue usted, restablezca de inmediato su contraseña y termine las sesiones, aplicaciones conectadas, claves de API y webhooks que no conozca:",
    line(reset)
  ],
  accountDeleted: ({ at, ip, url }) => [
    "Su cuenta se ha eliminado",
    "Hola:",
    `su cuenta en ${url} se eliminó el ${at}${from(ip)}. Sus sesiones y claves de API han terminado, y los espacios de trabajo sin otros miembros se eliminaron con ella.`,
    "Si fue usted, no tiene que hacer nada.",
    "Si no fue usted, pida ayuda al administrador de este servidor en un plazo de 30 días: hasta entonces se pueden restaurar los espacios de trabajo eliminados."
  ],
  reminder: ({ at, name, title, url, workspace }) => [
    `Recordatorio: ${title}`,
    `Hola${name === "" ? "" : `, ${name}`}:`,
    "pidió que le recordáramos esta nota:",
    line(title),
    line(at),
    `Está en el espacio de trabajo «${workspace}» en ${url}.`,
    "Este recordatorio se envía una sola vez. Ponga otra hora para recibirlo de nuevo."
  ],
  alarm: ([subject, ...paragraphs], pages) => [
    subject,
    "Hola:",
    ...paragraphs,
    "Los operadores encuentran los detalles en la consola:",
    pages.map(line).join("\n"),
    "Este correo se envía como máximo una vez al día, hasta que desaparezca la causa."
  ],
  backupsFail: (url, error, at) => [
    error === undefined ? "Una copia de seguridad está atrasada" : "La última copia de seguridad ha fallado",
    error === undefined
      ? `ninguna copia de seguridad prevista de ${url} se hizo a tiempo.`
      : `la última copia de seguridad prevista de ${url} ha fallado:`,
    ...(error === undefined ? [] : [line(error)]),
    at === undefined
      ? "Aún no ha salido bien ninguna copia de seguridad prevista."
      : `La última copia de seguridad correcta es de ${at}.`,
    "El servidor lo intenta de nuevo. Su registro tiene los detalles, y el comando `sheaf backup` hace una copia de inmediato."
  ],
  drillsFail: (url, error, at) => [
    error === undefined
      ? "Un simulacro de restauración está atrasado"
      : "El último simulacro de restauración ha fallado",
    error === undefined
      ? `ningún simulacro previsto de ${url} ha restaurado a tiempo una copia de seguridad.`
      : `el último simulacro de restauración de ${url} ha fallado:`,
    ...(error === undefined ? [] : [line(error)]),
    at === undefined ? "Aún no ha salido bien ningún simulacro." : `El último simulacro correcto es de ${at}.`,
    "Hasta que un simulacro salga bien, no es seguro que una copia se pueda restaurar. El comando `sheaf restore ARCHIVO --drill` restaura una de inmediato en una base de datos de prueba."
  ],
  diskIsLow: ({ free, host, size, url }) => [
    "El disco está casi lleno",
    `quedan libres ${free} de ${size} GiB en el disco de DATA_DIR de ${url}, en la máquina ${host}.`,
    "Amplíe el disco o borre espacios de trabajo eliminados. Por debajo del 5 % se rechazan las subidas, y todo lo demás cuando está lleno."
  ],
  diskFills: ({ days, free, host, size, url }) => [
    `El disco estará lleno en ${days} días`,
    `si lo almacenado crece como en la última semana, el disco de DATA_DIR de ${url}, en la máquina ${host}, estará lleno en ${days} días: quedan libres ${free} de ${size} GiB.`,
    "Amplíe el disco o borre espacios de trabajo eliminados."
  ],
  mailsFail: (url, count) => [
    "No se pudieron enviar correos",
    `${counted(count, "correo", "correos")} de ${url} no se ${form(count, "pudo", "pudieron")} enviar durante el último día.`,
    "Mire sus códigos, elimine la causa y envíelos de nuevo."
  ],
  webhooksEnd: (url, count) => [
    "Se desactivaron webhooks",
    `${counted(count, "webhook", "webhooks")} de ${url} ${form(count, "se desactivó", "se desactivaron")} durante el último día: el destino rechazó todas las entregas durante cinco días, o ya no existe.`,
    "Los propietarios de los espacios de trabajo pueden activarlos de nuevo. Si son muchos, revise la red del servidor."
  ],
  certificateEnds: (url, at) => [
    "El certificado caduca pronto",
    `el certificado de ${url} es válido hasta ${at}.`,
    "Renuévelo en el proxy que está delante del servidor."
  ],
  versionReleased: (url, released, running) => [
    `La versión ${released} está disponible`,
    `${url} usa la versión ${running}, y se ha publicado la versión ${released}.`
  ],
  checksFail: (url, checks) => [
    "Una comprobación ha encontrado fallos",
    `la última comprobación de ${url} ha encontrado fallos: ${checks}.`,
    "Cada fallo tiene un remedio."
  ],
  versionsDiffer: (url, versions) => [
    "Los nodos tienen varias versiones",
    `los nodos de ${url} tienen varias versiones desde hace una hora: ${versions}.`,
    "Complete la actualización."
  ],
  test: (url) => ["Correo de prueba", "Hola:", `un operador de ${url} envió este correo. Los correos llegan.`]
}
