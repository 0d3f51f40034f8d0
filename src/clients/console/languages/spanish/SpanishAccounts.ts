import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted, form } = phrasesIn("es")

export const account: Translation["main"]["account"] = {
  signIn: "Iniciar sesión",
  by: (provider) => `Continuar con ${provider}`,
  byPasskey: "Iniciar sesión con una clave de acceso",
  signInLead: "Sus notas, en su servidor.",
  signUp: "Crear una cuenta",
  signUpLeads: {
    open: "Cualquiera puede crear una cuenta en este servidor.",
    invite: "Use la dirección a la que se envió la invitación."
  },
  forgot: "¿Olvidó la contraseña?",
  forgotLead: "Si la dirección tiene una cuenta, se le envía un correo con un enlace.",
  sendLink: "Enviar un enlace",
  linkSent: "Revise su correo. El enlace funciona durante una hora.",
  email: "Dirección de correo",
  password: "Contraseña",
  passwordHint: "Al menos 10 caracteres",
  name: "Nombre",
  invitation: "Invitación",
  invitationHint: "La parte del enlace de invitación después de token=",
  firstStart: "¿Primer inicio? Abra el enlace que el servidor mostró en su terminal.",
  again: "Su sesión ha terminado",
  againLead: "Su sesión ha terminado. Lo que escriba permanece en este navegador hasta que inicie sesión de nuevo.",
  add: "Añadir una cuenta",
  signOut: "Cerrar sesión",
  signOutConfirm:
    "Hay texto sin guardar en el servidor. Permanece en este navegador hasta que inicie sesión de nuevo. ¿Cerrar sesión?",
  sendingConfirm: "Aún se está enviando un archivo, que no llegará. ¿Cerrar sesión?",
  signedOutHere:
    "La sesión está cerrada en este dispositivo. No se pudo contactar con el servidor: la sesión sigue en su lista.",
  signedOutElsewhere: "La sesión se cerró en otra pestaña.",
  menu: "Cuenta y espacio de trabajo"
}

export const templates: Translation["templates"] = {
  title: "Plantillas",
  none: "Aún no hay plantillas. También se puede guardar una nota como plantilla.",
  create: "Nueva plantilla",
  edit: "Editar",
  remove: "Eliminar",
  back: "Volver",
  name: "Nombre de la plantilla",
  body: "Texto de la plantilla",
  deleted: (name) => `«${name}» se ha eliminado.`,
  changed: "Otra persona ha cambiado esta plantilla. Guarde de nuevo para sustituir ese texto por el suyo.",
  gone: "La plantilla se eliminó. Guarde de nuevo para crearla con su texto.",
  placeholders: "Campos",
  hints: [
    ["{{title}}", "el título de la nota"],
    ["{{date}} {{time}} {{datetime}}", "ahora, en su zona horaria"],
    ["{{year}} {{month}} {{day}} {{weekday}}", "partes de la fecha"],
    ["{{date:DD.MM.YYYY}}", "en un formato de Day.js"],
    ["{{date+1d}} {{date-2w}}", "desplazada por h, d, w, m o y"],
    ["{{user.name}} {{user.email}}", "usted"],
    ["{{notebook.name}} {{workspace.name}}", "dónde está la nota"],
    ["{{uuid}}", "un identificador nuevo cada vez"]
  ]
}

export const imports: Translation["imports"] = {
  title: "Importar notas",
  file: "Archivo",
  drop: "Elija un archivo o suéltelo aquí",
  source: "Desde",
  sources: {
    auto: "Cualquier programa: se reconoce por el contenido",
    markdown: "Markdown o ZIP (Obsidian, Logseq, Bear)",
    enex: "Evernote (.enex)",
    notion: "Notion (ZIP)",
    json: "Sheaf (exportación JSON)"
  },
  notebook: "En",
  ownNotebooks: "Cuadernos nuevos, según las carpetas",
  existing: "Notas de importaciones anteriores",
  existingWays: {
    skip: "Dejarlas; añadir las que cambiaron",
    update: "Escribir los cambios en ellas",
    duplicate: "Añadir de nuevo todas las notas"
  },
  options: "Opciones",
  start: "Importar",
  tooLarge: (name) => `${name} ocupa más de 2 GB, el límite de una importación. Divídalo.`,
  sending: (name) => `Enviando ${name}`,
  keepOpen: "Mantenga la página abierta hasta que se envíe el archivo.",
  unsent: "No se puede contactar con el servidor, y el archivo no se envió.",
  waiting: "El archivo ha llegado. La importación espera su turno.",
  running: "Importando",
  soFar: (count, total) =>
    total !== null
      ? `${count} de ${counted(total, "nota", "notas")}`
      : count === 0
        ? "Leyendo el archivo"
        : `${counted(count, "nota", "notas")} hasta ahora`,
  mayClose: "El servidor continúa aunque cierre este cuadro o la página.",
  away: "No se puede contactar con el servidor. La importación continúa allí.",
  done: (count, remarks = 0) =>
    [
      `${counted(count, "nota importada", "notas importadas")}.`,
      ...(remarks === 0 ? [] : [counted(remarks, "observación", "observaciones")])
    ].join(" "),
  imported: (count) => `${counted(count, "nota importada", "notas importadas")} antes del fallo.`,
  updated: (count) => `${counted(count, "nota actualizada", "notas actualizadas")}.`,
  skipped: (count) =>
    `${counted(count, "nota ya está", "notas ya están")} aquí y se ${form(count, "omitió", "omitieron")}.`,
  failed: "La importación ha fallado.",
  remarks: "Observaciones",
  moreProblems: (count) => `Hay ${count} más.`,
  show: "Mostrar",
  other: "Importar otro archivo",
  undo: "Deshacer esta importación",
  preview: "Vista previa",
  foreseen: "Vista previa de la importación:"
}

export const administration: Translation["administration"] = {
  words: {
    about: "Sobre",
    action: "Acción",
    actionOf: (action, when) => `${action}, ${when}`,
    actions: "Acciones",
    address: "Dirección",
    begun: "Inicio",
    created: "Creación",
    delete: "Eliminar…",
    deleteWorkspace: "Eliminar el espacio de trabajo",
    details: "Detalles",
    download: "Descargar",
    due: (when) => `previsto ${when}`,
    email: "Dirección de correo",
    file: "Archivo",
    files: "Archivos",
    kept: "Todo lo que se conserva, con subidas, importaciones, exportaciones y archivos eliminados",
    lastUsed: "Último uso",
    linkFor: (email) => `Enlace para ${email}`,
    makeKey: "Crear la clave",
    members: "Miembros",
    name: "Nombre",
    never: "nunca",
    notes: "Notas",
    of: (used, limit) => `${used} de ${limit}`,
    open: "Abrir",
    openOf: (name) => `Abrir ${name}`,
    password: "Contraseña",
    plan: "Plan",
    plans: { free: "Free", plus: "Plus", team: "Team" },
    refresh: "Actualizar",
    result: "Resultado",
    saved: "Guardado.",
    seats: "Plazas",
    secondFactors: "Segundos factores",
    sendAgain: "Enviar de nuevo",
    sendAgainTo: (email) => `Enviar de nuevo a ${email}`,
    sessions: "Sesiones",
    sessionsEnded: (count) => `${counted(count, "sesión terminada", "sesiones terminadas")}.`,
    show: "Mostrar",
    size: "Tamaño",
    state: "Estado",
    stored: "Almacenado",
    when: "Cuándo",
    workspace: "Espacio de trabajo"
  },
  back: "Volver a las notas",
  skip: "Ir a la página",
  noPage: "Esa página no existe.",
  done: "Listo",
  copy: "Copiar",
  showDetails: "Detalles",
  hideDetails: "Ocultar",
  loadMore: "Cargar más",
  password: {
    title: "Confirme que es usted",
    lead: "Inició sesión hace tiempo.",
    one: "Basta con una de estas formas.",
    code: "Código de la aplicación de autenticación o un código de recuperación",
    recoveryCode: "Código de recuperación",
    passkey: "Usar una clave de acceso",
    confirm: "Continuar",
    by: (name) => `Confirmar con ${name}`,
    after: "Inicie sesión en la otra página y continúe aquí.",
    problems: { invalid_credentials: "La contraseña no es correcta." }
  }
}
