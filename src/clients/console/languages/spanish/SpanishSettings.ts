import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"
import { audit, transfers, usage } from "./SpanishData.ts"
import { apps, deliveries, keys, reach, webhooks } from "./SpanishIntegrations.ts"

const { counted, list } = phrasesIn("es")

export const settings: Translation["settings"] = {
  apps,
  keys,
  reach,
  webhooks,
  deliveries,
  transfers,
  usage,
  audit,
  navigation: "Ajustes",
  sections: { own: "Usted", workspace: "Espacio de trabajo" },
  pages: {
    account: "Cuenta",
    sessions: "Sesiones y dispositivos",
    apps: "Aplicaciones conectadas",
    workspace: "Espacio de trabajo",
    people: "Personas",
    keys: "Claves de API",
    folder: "Carpeta",
    webhooks: "Webhooks",
    transfers: "Importaciones y exportaciones",
    usage: "Uso",
    audit: "Registro de auditoría"
  },
  notAllowed: "Su rol en este espacio de trabajo no permite abrir esta página.",
  currentPassword: "Contraseña actual",
  unknown: "desconocido",
  ends: "Termina",
  remove: "Quitar…",

  account: {
    profile: "Perfil",
    language: "Idioma",
    languageHint: "El de la consola y de sus correos. La página se recarga.",
    timezone: "Zona horaria",
    timezoneHint: "La usan las horas de sus correos y plantillas.",
    securityMails: "Enviarme correos sobre inicios de sesión, cambios de contraseña, claves de API nuevas y webhooks",
    save: "Guardar el perfil",
    emailHint: "Se envía un enlace de confirmación a la dirección nueva y un aviso a la anterior.",
    newEmail: "Dirección nueva",
    changeEmail: "Cambiar la dirección",
    emailChanged: "La dirección ha cambiado. Confírmela con el enlace del correo.",
    passwordHint: "Todas las demás sesiones terminan.",
    newPassword: "Contraseña nueva",
    changePassword: "Cambiar la contraseña",
    passwordChanged: "La contraseña ha cambiado.",
    identities: "Inicio de sesión con un proveedor",
    identitiesLead: "Con un proveedor conectado inicia sesión sin la contraseña.",
    connect: (name) => `Conectar ${name}`,
    disconnect: "Desconectar…",
    disconnectOf: (name) => `Desconectar ${name}`,
    disconnectConfirm: "Ya no inicia su sesión. Sus sesiones siguen.",
    disconnectButton: "Desconectar",
    noIdentity: "No hay ningún proveedor conectado.",
    provider: "Proveedor",
    lastUsed: "Último inicio de sesión",
    disconnectProblems: {
      invalid_state:
        "Es su última forma de iniciar sesión. Defina antes una contraseña con «¿Olvidó la contraseña?» o conecte otro proveedor."
    },
    end: "Eliminar la cuenta",
    endHint:
      "Los espacios de trabajo sin otros miembros se eliminan con sus notas, y usted deja de ser miembro de los demás. Exporte antes lo que necesite.",
    endAction: "Eliminar mi cuenta…",
    endConfirm: "Se eliminan su cuenta, sus sesiones, sus claves de API y los espacios de trabajo que solo usted usa.",
    endButton: "Eliminar mi cuenta",
    lastOwner: (names) =>
      `Usted es el último propietario de ${list(names)}. Nombre propietario a otro miembro o elimine el espacio de trabajo.`
  },

  sessions: {
    lead: "Lugares en los que ha iniciado sesión.",
    device: "Dispositivo",
    unnamed: "Dispositivo sin nombre",
    current: "este",
    since: "Inicio de sesión",
    by: "Sesión iniciada con",
    ways: { password: "contraseña", passkey: "clave de acceso", provider: "proveedor" },
    factors: {
      totp: "aplicación de autenticación",
      passkey: "clave de acceso",
      recovery_code: "código de recuperación"
    },
    none: "No hay sesiones.",
    end: "Terminar…",
    endOf: (name) => `Terminar la sesión en ${name}`,
    endConfirm: (name) => `La sesión en ${name} se cierra de inmediato. El texto que no ha guardado permanece allí.`,
    endButton: "Terminar la sesión",
    endOthers: "Terminar todas las demás sesiones…",
    endOthersTitle: "Terminar todas las demás sesiones",
    endOthersConfirm: "La sesión se cierra de inmediato en todos los dispositivos menos este.",
    devices: "Dispositivos que sincronizan",
    devicesLead: "Aplicaciones suyas que conservan una copia de sus notas.",
    synced: "Última sincronización",
    noDevices: "Ninguna aplicación conserva una copia de sus notas.",
    removeOf: (name) => `Quitar ${name}`,
    removeConfirm: (name) => `${name} no recibe más cambios, y su sesión termina.`
  },

  workspace: {
    settings: "Nombre y plan",
    slug: "Nombre corto en direcciones",
    slugHint: "Minúsculas, cifras y guiones",
    save: "Guardar el espacio de trabajo",
    readOnly: (plan, seats) => `${plan}, ${counted(seats, "plaza", "plazas")}`,
    problems: {
      already_exists: "Otro espacio de trabajo tiene este nombre corto.",
      insufficient_role: "Su rol no lo permite, o el operador del servidor fija el plan y las plazas."
    },
    factors: {
      title: "Segundos factores de los miembros",
      lead: "A partir de una fecha, las notas de este espacio de trabajo se abren solo para sesiones y aplicaciones cuyo usuario ha iniciado sesión con dos factores: una aplicación de autenticación además de la contraseña, una clave de acceso o un proveedor. Las claves de API no los necesitan.",
      isOn: "Los miembros necesitan un segundo factor",
      from: "A partir de",
      save: "Guardar la regla"
    },
    offline: {
      title: "En este dispositivo",
      hint: "Las notas de este dispositivo se pueden leer y buscar sin conexión. El texto que escriba se envía más tarde en cualquier caso. Al cerrar sesión, las notas se quitan de este dispositivo.",
      nothing: "Ninguna nota",
      all: "Las notas de todos los cuadernos",
      chosen: "Las notas de los cuadernos elegidos",
      notebooks: "Cuadernos en este dispositivo",
      inner: "Incluye los cuadernos que contienen.",
      state: (notes, isWhole) =>
        `${counted(notes, "nota está", "notas están")} en este dispositivo${isWhole ? "." : ", faltan otras por llegar."}`,
      unstored: "Este navegador no tiene sitio para las notas o no permite guardarlas."
    },
    all: "Sus espacios de trabajo",
    isOpen: "abierto ahora",
    none: "No tiene ningún espacio de trabajo.",
    createTitle: "Nuevo espacio de trabajo",
    create: "Crear el espacio de trabajo",
    created: (name) => `«${name}» se ha creado.`,
    leave: "Abandonar el espacio de trabajo",
    leaveHint: "Sus claves de API y enlaces en él terminan. Solo una invitación le permite volver.",
    leaveAction: "Abandonar…",
    leaveConfirm: (name) => `Pierde de inmediato el acceso a «${name}».`,
    deleteHint: "Todos los miembros pierden de inmediato el acceso. El operador puede restaurarlo durante 30 días.",
    deleteConfirm: (slug) =>
      `Se eliminan todas las notas, los miembros, las claves de API y los webhooks. Escriba ${slug} para confirmar.`,
    deleteField: "Nombre corto del espacio de trabajo",
    deleteMismatch: "Ese no es el nombre corto.",
    personal: "Este es su espacio de trabajo personal. Termina con su cuenta."
  },

  people: {
    person: "Persona",
    role: "Rol",
    roleOf: (name) => `Rol de ${name}`,
    roles: { owner: "Propietario", admin: "Administrador", editor: "Redactor", viewer: "Lector" },
    rolesHint: [
      ["Lector", "lee notas"],
      ["Redactor", "escribe notas y crea claves de API"],
      ["Administrador", "gestiona también personas, webhooks y el registro de auditoría"],
      ["Propietario", "cambia también el plan y elimina el espacio de trabajo"]
    ],
    you: "usted",
    since: "Miembro desde",
    noMembers: "No hay miembros.",
    roleChanged: (name, role) => `${name} tiene ahora el rol ${role}.`,
    removeOf: (name) => `Quitar a ${name}`,
    removeConfirm: (name) =>
      `${name} pierde de inmediato el acceso. Sus claves de API y enlaces en este espacio de trabajo terminan, y sus webhooks se pausan. Sus notas se quedan.`,
    removeButton: "Quitar",
    problems: { last_owner: "Un espacio de trabajo necesita un propietario." },
    invite: "Invitar a una persona",
    send: "Enviar la invitación",
    sent: (email) => `La invitación a ${email} se ha enviado.`,
    linkHint: "Este servidor no envía correos. Entregue usted el enlace: solo se muestra ahora.",
    inviteProblems: { already_exists: "Esta persona ya es miembro o ya está invitada." },
    invitations: "Invitaciones",
    statuses: { pending: "pendiente", accepted: "aceptada", expired: "caducada" },
    by: "Invitación de",
    noInvitations: "No hay invitaciones.",
    revoke: "Retirar…",
    revokeOf: (email) => `Retirar la invitación a ${email}`,
    revokeConfirm: "El enlace deja de funcionar.",
    revokeButton: "Retirar"
  }
}
