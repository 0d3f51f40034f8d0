import type { Translation } from "../Translation.ts"

const makerOnly = "Solo quien creó una clave puede darle un secreto nuevo."

export const keys: Translation["settings"]["keys"] = {
  title: "Claves",
  lead: "Los programas usan la API con una clave. Una clave tiene el rol de quien la creó.",
  create: "Nueva clave",
  nameHint: "Qué la usa, por ejemplo «Script de copias»",
  scopes: "Puede",
  scopeNames: {
    "notes:read": "leer notas",
    "notes:write": "escribir notas",
    "files:read": "leer archivos",
    "files:write": "escribir archivos",
    "export:read": "leer exportaciones",
    "export:write": "crear exportaciones",
    "members:read": "leer miembros",
    "members:write": "cambiar miembros",
    "keys:read": "leer claves",
    "keys:write": "crear claves",
    "webhooks:read": "leer webhooks",
    "webhooks:write": "cambiar webhooks",
    "audit:read": "leer el registro de auditoría",
    profile: "leer el perfil"
  },
  noScope: "Elija al menos uno.",
  expires: "Termina (opcional)",
  secret: (name) => `Secreto de «${name}»`,
  secretHint: "Solo se muestra ahora. Guárdelo como una contraseña.",
  begins: "Empieza por",
  none: "No hay claves.",
  rotate: "Secreto nuevo",
  rotateOf: (name) => `Secreto nuevo para ${name}`,
  rotated: (until) => `El secreto anterior funciona hasta ${until}.`,
  revoke: "Revocar…",
  revokeOf: (name) => `Revocar ${name}`,
  revokeConfirm: "Los programas que usan la clave se rechazan de inmediato.",
  revokeButton: "Revocar la clave",
  isEnded: "terminada",
  problems: { not_found: makerOnly, forbidden: makerOnly }
}

export const reach: Translation["settings"]["reach"] = {
  title: "Accede a",
  limited: "Todo lo demás queda oculto."
}

export const apps: Translation["settings"]["apps"] = {
  lead: "Asistentes y programas que actúan por usted, cada uno en un espacio de trabajo. Nunca conocen su contraseña.",
  none: "No ha conectado ninguna aplicación.",
  name: "Aplicación",
  left: "un espacio de trabajo que usted ha dejado",
  may: "Puede",
  end: "Desconectar…",
  endOf: (name) => `Desconectar ${name}`,
  endConfirm: "Se rechaza de inmediato. Lo que ha escrito se queda.",
  endButton: "Desconectar",
  connect: "Conectar una aplicación",
  connectLead:
    "Escriba esta dirección en su asistente, como conector o servidor MCP. Él lo envía a esta página, donde usted lo permite.",
  ask: (name) => `¿Permitir ${name}?`,
  account: (email) => `La aplicación pide acceso con su cuenta ${email}.`,
  knownByDocument: (host) => `Se describe en ${host}.`,
  knownBy: {
    registration: "El nombre lo elige la propia aplicación: cualquiera puede usarlo.",
    operator: "El operador de este servidor la conoce."
  },
  goesTo: (host) => `Su navegador va a ${host}, que obtiene el acceso.`,
  local: (place) =>
    `Su navegador va a un programa de este dispositivo (${place}), que obtiene el acceso. Permítalo solo si acaba de empezar a conectarlo.`,
  shares: "También puede publicar notas con enlaces compartidos, que puede abrir cualquiera que los tenga.",
  never: "No puede cambiar su cuenta, crear claves, exportar el espacio de trabajo ni invitar a personas.",
  refuse: "Rechazar",
  allow: "Permitir",
  problems: { validation_failed: "La aplicación ha enviado una solicitud no válida. Empiece de nuevo en ella." }
}

export const webhooks: Translation["settings"]["webhooks"] = {
  title: "En este espacio de trabajo",
  lead: "El servidor envía los eventos de este espacio de trabajo a estas direcciones, firmados según Standard Webhooks.",
  none: "No hay webhooks.",
  create: "Nuevo webhook",
  urlHint: "Una dirección https de un host público",
  events: "Eventos",
  all: "Todos los eventos, también los de versiones futuras",
  allOf: (resource) => `Todos los de ${resource}.*`,
  single: (resource) => `Eventos de ${resource}`,
  submit: "Añadir el webhook",
  save: "Guardar el webhook",
  active: "activo",
  paused: "en pausa",
  reasons: {
    gone: "En pausa: la dirección respondió que ya no existe.",
    failing: "En pausa: todos los envíos fallaron durante cinco días.",
    creator_left: "En pausa: la persona que lo creó se ha ido.",
    key_ended: "En pausa: la clave de API que lo creó ha terminado."
  },
  used: "Última aceptación",
  back: "Todos los webhooks",
  secret: "Secreto de las firmas",
  secretHint: "Solo se muestra ahora. El receptor lo necesita para comprobar las firmas.",
  rotate: "Secreto nuevo",
  rotated: (until) => `Los envíos se firman también con el secreto anterior, hasta ${until}.`,
  pause: "Pausar",
  resume: "Continuar",
  test: "Enviar una prueba",
  removeTitle: "Eliminar el webhook",
  removeConfirm: "No se envían más eventos a esta dirección. Sus envíos también se eliminan.",
  settings: "Dirección y eventos"
}

export const deliveries: Translation["settings"]["deliveries"] = {
  title: "Envíos",
  lead: "Cada intento de enviar un evento, los más recientes primero. Se conservan 30 días.",
  shown: { all: "Todos", failed: "Fallidos", succeeded: "Correctos", pending: "Pendientes" },
  none: "No hay envíos.",
  event: "Evento",
  attempt: "Intento",
  statuses: { pending: "pendiente", succeeded: "correcto", failed: "fallido" },
  latency: "Duración",
  milliseconds: (count) => `${count} ms`,
  aboutOf: (type, attempt) => `intento ${attempt} de ${type}`,
  error: "Por qué falló",
  request: "Solicitud",
  response: "Respuesta",
  noRequest: "Aún no se ha enviado.",
  noResponse: "No hubo respuesta.",
  headers: "Cabeceras",
  body: "Cuerpo",
  erased: "El contenido se borró.",
  resendOf: (type, attempt) => `Enviar de nuevo: intento ${attempt} de ${type}`,
  succeeded: (code) => `El receptor lo ha aceptado (${code}).`,
  failed: (reason) => `Ha fallado: ${reason}`,
  waiting: "Se envía lo antes posible."
}

export const folders: Translation["folders"] = {
  connect: "Conectar una carpeta",
  lead: "El comando sheaf sync mantiene una carpeta de archivos Markdown igual que sus notas.",
  nameHint: "Su ruta en el dispositivo"
}
