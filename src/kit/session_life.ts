// How long a session lives; the cookie, the look-up and the list of sessions agree on it.

export const sessionDays = 30

/** Since its last use. */
export const sessionIdleDays = 7
