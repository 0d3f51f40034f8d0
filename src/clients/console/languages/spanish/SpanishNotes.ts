import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted, list } = phrasesIn("es")

export const notes: Translation["notes"] = {
  trashed: {
    restore: "Restaurar",
    erase: "Eliminar definitivamente",
    eraseConfirm: "La nota y su historial se borran. No se puede deshacer.",
    inTrash: "Esta nota está en la papelera."
  },
  missing: (id) =>
    `La nota ${id} no está aquí. Se eliminó o pertenece a otro espacio de trabajo. Busque sus palabras o mire en la papelera.`,
  openTrash: "Buscar en la papelera",
  waiting: {
    title: "Textos en este dispositivo",
    lead: "Se guardan en cuanto el servidor responda. Abra los que queden: necesitan su decisión.",
    open: "Abrir",
    discard: "Descartar"
  },

  boxMoved: "La línea de esta casilla ha cambiado. No se ha marcado nada: mire la nota como está ahora.",

  conflict: {
    title: "Usted y otra persona cambiaron el mismo título",
    lead: "Elija el título, o el texto si los dos juntos son demasiado largos. El historial conserva ambos, elija lo que elija.",
    mergedLead: "La nota tiene las palabras de ambas versiones. El historial conserva la nota como estaba antes.",
    base: "Antes",
    theirs: "La otra versión",
    yours: "Su versión",
    result: "Resultado",
    resultTitle: "Título del resultado",
    useMerged: "Guardar el resultado",
    useTheirs: "Usar la otra versión",
    useYours: "Usar su versión"
  },

  history: {
    same: "El texto es el mismo que antes.",
    added: "añadido",
    removed: "quitado",
    version: (version) => `Versión ${version}`,
    current: "Versión actual",
    by: (name) => `de ${name}`,
    showAll: "Mostrar todas las versiones",
    restore: "Restaurar esta versión",
    restored: "La versión está restaurada.",
    restoresTags: (names) =>
      names.length === 0
        ? "La nota pierde sus etiquetas: esta versión no tiene ninguna."
        : `También vuelven las etiquetas de esta versión: ${names.map((name) => `#${name}`).join(" ")}`
  },

  reminders: {
    when: "Cuándo",
    presets: { evening: "Esta tarde", tomorrow: "Mañana", week: "La próxima semana" },
    add: "Añadir un recordatorio",
    channel: "Por",
    channels: { push: "Notificación", email: "Correo", webhook: "Webhook" },
    done: "Hecho",
    remove: (when) => `Quitar ${when}`,
    none: "No hay recordatorios.",
    noMail: "Este servidor no envía correos.",
    noWebhook: "Webhook (ninguno recibe recordatorios)",
    onlyOpen:
      "Ninguno de sus dispositivos recibe notificaciones. El recordatorio se muestra en Sheaf mientras está abierto.",
    elsewhere: "Otro de sus dispositivos recibe notificaciones, y este no.",
    subscribe: "Avisarme en este dispositivo",
    denied: "El navegador no permite notificaciones de esta página. Puede cambiarlo en sus ajustes.",
    fired: (title) => `Recordatorio: ${title}`,
    open: "Abrir la nota",
    subscribed: "Este dispositivo recibe notificaciones."
  },
  comments: {
    add: "Comentar",
    write: "Escribir un comentario",
    reply: "Responder",
    resolve: "Resolver",
    reopen: "Reabrir",
    remove: "Eliminar",
    deleted: "Este comentario se eliminó.",
    none: "Aún no hay comentarios."
  },
  shares: {
    lead: "Cualquiera que tenga el enlace puede leer el texto actual de esta nota.",
    create: "Crear un enlace",
    password: "Contraseña (opcional)",
    passwordHint: "Al menos 8 caracteres",
    expires: "Termina (opcional)",
    copy: "Copiar el enlace",
    remove: "Desactivar este enlace",
    protected: "con contraseña",
    until: (when) => `hasta ${when}`,
    views: (count) => counted(count, "vista", "vistas")
  }
}

export const attaching: Translation["attaching"] = {
  uploading: (name, percent) => `${name}: ${percent} %`,
  tooLarge: (name) => `${name} es más grande de lo que permite el plan.`,
  unreadable: (name) => `${name} no se puede leer. No se pueden adjuntar carpetas.`,
  notAttached: (name, reason) => `${name} no se adjuntó: ${reason}`
}

export const activity: Translation["activity"] = {
  sentence: (who, what, device, means) =>
    [who, what, ...(device === undefined ? [] : ["en", device]), ...(means === undefined ? [] : [means])].join(" "),
  byApp: (app) => `mediante ${app}`,
  byTool: (tool) => `mediante un asistente (${tool})`,
  byImport: "mediante una importación",
  byUndo: "al deshacer",
  withKey: (name, key) => `${name}, con la clave de API${key === undefined ? "" : ` ${key}`},`,
  formerMember: "Un antiguo miembro",
  fields: {
    body: "el texto",
    title: "el título",
    tags: "las etiquetas",
    pinned: "la fijación",
    notebook_id: "el cuaderno"
  },
  otherField: "la nota",
  list: (names) => list(names),
  changed: (what) => `cambió ${what}`,
  moved: "movió la nota a otro cuaderno",
  merged: (version) => `combinó un cambio con la versión ${version}`,
  restoredVersion: (version) => `restauró la versión ${version}`,
  deletedVersion: (version) => `eliminó la versión ${version} del historial`,
  created: "creó la nota",
  imported: "importó la nota",
  copied: "creó una copia de conflicto",
  isCopy: "creó esta nota como copia de conflicto",
  restored: "restauró la nota de la papelera",
  unarchived: "sacó la nota del archivo",
  conflict: (edited, present) =>
    `envió un cambio en conflicto (de la versión ${edited}, cuando ${present === null ? "la nota ya no existía" : `la versión ${present} era más reciente`})`,
  actions: {
    "note.archived": "movió la nota al archivo",
    "note.deleted": "movió la nota a la papelera",
    "attachment.created": "añadió un archivo",
    "attachment.ready": "subió un archivo",
    "attachment.updated": "cambió un archivo",
    "attachment.deleted": "quitó un archivo",
    "comment.created": "escribió un comentario",
    "comment.updated": "cambió un comentario",
    "comment.resolved": "resolvió un comentario",
    "comment.deleted": "eliminó un comentario",
    "reminder.created": "creó un recordatorio",
    "reminder.updated": "cambió un recordatorio",
    "reminder.fired": "envió un recordatorio",
    "reminder.deleted": "quitó un recordatorio",
    "share.created": "compartió la nota mediante un enlace",
    "share.updated": "cambió un enlace",
    "share.deleted": "desactivó un enlace"
  },
  versions: (newest, oldest) => (newest === oldest ? `Versión ${newest}` : `Versiones ${oldest} a ${newest}`),
  openCopy: "Abrir la copia",
  openOriginal: "Abrir el original",
  undo: (who) => `Deshacer lo que hizo ${who}`,
  undoAgain: "Deshacer la anulación",
  theImport: "la importación",
  more: "Cargar más",
  none: "No ha ocurrido nada en los últimos 90 días."
}

export const shared: Translation["shared"] = {
  title: "Compartido con Sheaf",
  lead: (time) => `Otra aplicación de este dispositivo ha compartido esto, ${time}. ¿Guardarlo como nota?`,
  unchecked:
    "El servidor no ha comprobado de dónde viene esto. Una página de otro sitio pudo enviarlo: guárdelo solo si usted lo ha compartido.",
  later:
    "Este dispositivo lo conserva. La nota se creará en cuanto se pueda acceder al servidor y haya iniciado sesión.",
  files: "Archivos",
  save: "Guardar como nota",
  discard: "Descartar",
  discardConfirm: "¿Descartar lo compartido? No se puede deshacer.",
  outcomes: {
    kept: "No se puede acceder al servidor. Este dispositivo conserva lo compartido hasta que lo guarde aquí como nota.",
    foreign:
      "Una página de otro sitio ha enviado algo a Sheaf. No se conservó: solo pueden compartir las aplicaciones de este dispositivo.",
    lost: "Lo compartido no se pudo conservar. Compártalo de nuevo.",
    full: "Este navegador no tiene espacio para lo compartido. Libere espacio e inténtelo de nuevo.",
    many: "Lo compartido no se conservó, porque esperan 20 contenidos. Guárdelos o descártelos y comparta de nuevo.",
    large:
      "Lo compartido no se conservó: un texto tiene como máximo 1 MB, y todo lo que espera 32 MB. Suba los archivos en una nota."
  }
}

export const offline: Translation["offline"] = {
  notKept: "Sin conexión. Esto no se conserva en este dispositivo."
}

export const start: Translation["start"] = {
  navigation: "Pasos",
  account: "Cuenta",
  steps: {
    import: {
      title: "Traiga sus notas",
      name: "Notas",
      lead: "Importe un almacén o una exportación de otra aplicación, ahora o más tarde en el menú de la cuenta."
    },
    connect: {
      title: "Conectar una aplicación",
      name: "Aplicaciones (opcional)",
      lead: "Los asistentes y las aplicaciones acceden a sus notas con la dirección de este servidor y una clave. Esta página también está en el menú de la cuenta."
    }
  },
  isDone: "hecho",
  write: "Escribir su primera nota",
  connect: "Conectar una aplicación (opcional)",
  toNotes: "Ir a las notas",

  key: {
    title: "Clave de API",
    lead: "Una clave funciona en este espacio de trabajo hasta que la revoque en los ajustes.",
    nameHint: "Por ejemplo, el nombre de la aplicación",
    initialName: "Asistente",
    rights: "Acceso",
    rightsNames: { read: "Solo lectura", write: "Lectura y escritura" },
    secret: (name) => `Clave «${name}»`,
    secretHint: "No se muestra de nuevo."
  },
  assistant: {
    title: "Asistente",
    lead: "Un asistente con MCP lee notas y cambia partes de ellas. Ninguna herramienta elimina una nota definitivamente.",
    address: "Dirección del servidor MCP",
    addressHint:
      "Escríbala donde su asistente añade un conector o un servidor MCP. Se abre esta consola, donde usted lo permite.",
    withKey: "Asistentes que necesitan una clave",
    client: "Configuración para",
    configuration: (file) => `Contenido de ${file}`,
    keys: {
      variable: "El asistente lee la clave de la variable de entorno SHEAF_KEY.",
      content: "La clave está en el archivo. No lo comparta.",
      question: "El programa pide la clave y la conserva."
    }
  },
  app: {
    title: "Aplicación",
    lead: "Una aplicación que sincroniza notas pide esta dirección. Escanee el código para abrirla en un teléfono.",
    address: "Dirección para aplicaciones",
    code: (address) => `Código QR de la dirección ${address}`,
    onlyHere:
      "Solo este dispositivo puede usar esta dirección. Para otros, dé al servidor una dirección que ellos alcancen, con HOST y PUBLIC_URL, y abra la consola allí."
  },
  copy: (what) => `Copiar: ${what}`
}
