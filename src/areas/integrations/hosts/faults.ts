// Why a host gives no token.

/** `text` is for people, and holds no secret. `unreachable`: it may go well later. */
export class HostFault extends Error {
  readonly code: 'auth' | 'unreachable'
  readonly text: string

  constructor(code: HostFault['code'], text: string) {
    super(text)
    this.name = 'HostFault'
    this.code = code
    this.text = text
  }
}
