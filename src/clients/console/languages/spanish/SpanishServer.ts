import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"
import { overview } from "./SpanishOverview.ts"

const { counted } = phrasesIn("es")

export const server: Translation["server"] = {
  navigation: "Servidor",
  notAllowed: "Solo los operadores del servidor pueden usar esta página.",
  pages: {
    overview: "Resumen",
    users: "Usuarios",
    workspaces: "Espacios de trabajo",
    jobs: "Tareas",
    backups: "Copias de seguridad",
    mails: "Correos",
    checks: "Comprobaciones",
    system: "Sistema"
  },
  no: "no",
  search: "Buscar",
  version: "Versión",
  yes: "sí",

  overview,

  users: {
    list: "Todos los usuarios",
    words: "Dirección o nombre",
    suspendedOnly: "Usuarios suspendidos",
    operatorsOnly: "Operadores",
    none: "Ningún usuario coincide.",
    usual: "activo",
    suspended: "suspendido",
    operator: "operador",
    active: "Última actividad",
    confirmed: "Dirección confirmada",
    personal: "el personal",
    create: "Nuevo usuario",
    createLead: "La dirección se considera confirmada. El usuario tiene un espacio de trabajo personal.",
    nameOptional: "Nombre (opcional)",
    passwordHint: "Al menos 10 caracteres. El usuario puede cambiarla.",
    submit: "Crear el usuario",
    names: "Dirección y nombre",
    namesLead: "Otra dirección se considera confirmada.",
    problems: {
      already_exists: "Otro usuario tiene esta dirección.",
      not_found: "Ese usuario no existe."
    },
    suspend: "Suspender…",
    resume: "Levantar la suspensión",
    makeOperator: "Nombrar operador…",
    endOperator: "Retirar el derecho de operador",
    makeLink: "Enlace para una contraseña nueva",
    linkHint: (until) =>
      `Solo se muestra ahora, y también se envía por correo al usuario. Funciona una vez, hasta ${until}.`,
    endSessions: "Terminar todas las sesiones…",
    resetFactors: "Quitar los segundos factores…",
    factorsReset: (count) => `${counted(count, "factor quitado", "factores quitados")}.`,
    deleted: (email) => `${email} se ha eliminado.`,
    titles: {
      suspend: "Suspender al usuario",
      makeOperator: "Nombrar operador",
      endSessions: "Terminar todas las sesiones",
      resetFactors: "Quitar los segundos factores",
      delete: "Eliminar al usuario"
    },
    leads: {
      suspend: (email) =>
        `Todas las sesiones de ${email} terminan de inmediato, y se rechazan los inicios de sesión y las claves de API. No se elimina nada.`,
      makeOperator: (email) => `${email} podrá hacer todo en las páginas del servidor, igual que usted.`,
      endSessions: (email) => `La sesión de ${email} se cierra en todos los dispositivos. Las claves de API se quedan.`,
      resetFactors: (email) =>
        `${email} inicia sesión sin segundo factor hasta que añada otro, y recibe un correo. Hágalo solo si la petición viene con seguridad de esa persona.`,
      delete: (email) =>
        `La cuenta de ${email} se elimina y no se puede restaurar. Los espacios de trabajo sin otros miembros se eliminan con ella; se pueden restaurar durante 30 días.`
    }
  },

  workspaces: {
    list: "Todos los espacios de trabajo",
    lead: "Lo que almacenan, sin su contenido.",
    words: "Nombre o nombre corto",
    presentOnly: "Los que no están eliminados",
    deletedOnly: "Espacios de trabajo eliminados",
    none: "Ningún espacio de trabajo coincide.",
    slug: "Nombre corto",
    textBytes: "Textos",
    present: "en uso",
    personal: "personal",
    deleted: "eliminado",
    erasing: "borrándose",
    deletedAt: "Eliminación",
    problems: { not_found: "Ese espacio de trabajo no existe: puede que se haya borrado." },
    planTitle: "Plan y plazas",
    search: "Índice de búsqueda",
    searchLead:
      "Si las búsquedas no encuentran lo que existe. Hasta que el índice esté completo, solo encuentran una parte de las notas.",
    reindex: "Reconstruir el índice",
    reindexed: "La próxima búsqueda reconstruye el índice.",
    end: "Eliminar y borrar",
    endLead: "Un espacio de trabajo eliminado se puede restaurar durante 30 días. Uno borrado ya no.",
    deleteConfirm: (name) =>
      `Todos los miembros de «${name}» pierden de inmediato el acceso. Se puede restaurar durante 30 días.`,
    erase: "Borrar…",
    eraseTitle: "Borrar el espacio de trabajo",
    eraseConfirm: (slug) =>
      `Todo su contenido se borra en dos horas y no se puede restaurar. Escriba ${slug} para confirmar.`,
    erasingLead: "El espacio de trabajo se está borrando. No se puede restaurar.",
    personalLead: "Este es el espacio de trabajo personal de un usuario. Termina con el usuario.",
    restore: "Restaurar el espacio de trabajo",
    restoreLead: "Sus miembros recuperan el acceso, con todas las notas.",
    restored: "El espacio de trabajo está restaurado.",
    owner: "Dirección de un propietario (opcional)",
    ownerHint:
      "Un usuario de este servidor, que pasa a ser propietario. Obligatorio si no queda ningún propietario; si no, posible un día después de la eliminación."
  },

  jobs: {
    title: "Exportaciones e importaciones",
    lead: "Las de todos los espacios de trabajo, mientras se conservan.",
    all: "Todos los estados",
    none: "No hay exportaciones ni importaciones de este tipo.",
    kind: "Tipo",
    kinds: { export: "Exportación", import: "Importación" },
    states: {
      awaiting_file: "espera su archivo",
      queued: "en espera",
      running: "en curso",
      retrying: "reintentando",
      failed: "fallida",
      done: "terminada"
    },
    nameOf: (kind, workspace) => `${kind} de ${workspace}`,
    next: (when) => `nuevo intento ${when}`,
    retryOf: (name) => `Reintentar: ${name}`,
    cancel: "Terminar…",
    cancelOf: (name) => `Terminar: ${name}`,
    cancelConfirm: "La tarea termina como fallida. Las notas que creó una importación se quedan.",
    cancelButton: "Terminar"
  },

  backups: {
    plan: "Plan",
    planLead: "Definido por BACKUP_TO, BACKUP_EVERY, BACKUP_KEEP y BACKUP_RECIPIENT.",
    noPlan: "No hay copias de seguridad. Defina BACKUP_TO y BACKUP_EVERY y reinicie el servidor.",
    to: "Lugar",
    every: "Cada",
    noSchedule: "sin calendario",
    keep: "Se conservan",
    encrypted: "Cifradas",
    last: "Último éxito",
    next: "Próxima",
    begin: "Hacer una copia ahora",
    isRunning: "Se está haciendo una copia de seguridad…",
    lead: "Las que se conservan y los últimos intentos fallidos.",
    none: "No hay copias de seguridad.",
    kind: "Motivo",
    kinds: { scheduled: "calendario", manual: "a mano" },
    running: "en curso",
    failed: "fallida",
    failedTimes: (count) => counted(count, "fallo", "fallos"),
    made: "hecha",
    downloadOf: (when) => `Descargar la copia de seguridad de ${when}`
  },

  drills: {
    title: "Simulacros de restauración",
    lead: "Un simulacro restaura la última copia en una base de datos de prueba, las compara y elimina la base. Definido por BACKUP_VERIFY_EVERY.",
    last: "Último simulacro de restauración",
    backup: "De la copia",
    next: "Próximo simulacro",
    succeeded: "restaurada sin diferencias",
    begin: "Comprobar una restauración ahora",
    isRunning: "Se está comprobando una restauración…"
  },

  mails: {
    title: "Correos en espera y fallidos",
    lead: "Los que esperan y los que no se pudieron enviar en los últimos 7 días. Sus textos no se muestran.",
    none: "Ningún correo espera y ninguno ha fallado.",
    recipient: "Destinatario",
    attempts: "Intentos",
    states: { waiting: "en espera", retrying: "reintentando", failed: "fallido" },
    resent: (recipient) => `El correo a ${recipient} se envía de nuevo.`,
    problems: { not_found: "El correo se envió entretanto." },
    test: "Correo de prueba",
    testLead: "Se envía de inmediato y muestra la respuesta del servidor de correo.",
    testTo: "Para",
    sendTest: "Enviar un correo de prueba",
    tested: (recipient) => `El servidor de correo ha aceptado el correo a ${recipient}.`,
    testFailed: (error) => `El correo no se envió: ${error}.`,
    testKept: "No hay servidor de correo: el correo está en DATA_DIR/outbox. Defina SMTP_URL."
  },

  checks: {
    begin: "Comprobar el servidor",
    lead: "Las comprobaciones leen y no cambian nada. Una completa lee los bytes de todos los archivos, lo que puede durar mucho.",
    quick: "Comprobación rápida",
    thorough: "Comprobación completa",
    last: "Última comprobación",
    none: "El servidor aún no se ha comprobado.",
    earlier: "Comprobaciones anteriores",
    states: { running: "en curso", ended: "terminada", interrupted: "interrumpida" },
    faulty: (count) => (count === 0 ? "sin fallos" : `${counted(count, "comprobación", "comprobaciones")} con fallos`),
    resultsOf: (when) => `Resultados de ${when}`,
    noResults: "Aún no hay resultados.",
    check: "Comprobación",
    found: "Encontrado",
    statuses: { ok: "bien", faulty: "con fallos", repaired: "reparado", skipped: "omitido" },
    more: "Hay más fallos.",
    openWorkspace: "Abrir el espacio de trabajo"
  },

  system: {
    releaseNotes: "Cambios por versión",
    noNodes: "Ningún nodo ha informado en el último minuto.",
    host: "Máquina",
    listens: "Escucha en",
    workers: "Procesos",
    memory: "Memoria",
    started: "Inicio",
    search: "Índices de búsqueda",
    searchLead: "Los del nodo que ha respondido.",
    indexes: "En memoria",
    settings: "Ajustes",
    settingsLead:
      "Variables de entorno del nodo que ha respondido. Los secretos están ocultos. Un cambio requiere reiniciar.",
    noSettings: "Este servidor se inició sin variables de entorno.",
    value: "Valor",
    unset: "sin definir",
    source: "Origen",
    sources: { environment: "entorno", default: "valor predeterminado" }
  },

  audit: {
    title: "Qué han hecho los operadores",
    lead: "En la consola, con la API y mediante comandos. Las entradas nunca cambian.",
    actor: "Operador",
    command: "línea de comandos",
    none: "Los operadores aún no han hecho nada."
  }
}
