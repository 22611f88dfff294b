// How long a runner may be silent before its run is given to another.

export const leaseSeconds = 60

export function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + leaseSeconds * 1000)
}
