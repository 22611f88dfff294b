// A mail server on loopback that keeps what it is given, or refuses it.
import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

type Received = { from: string; to: string[]; mail: Email }

export async function mailServer() {
  const received: Received[] = []
  const refusals: Email[] = []
  let refusing = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const mail = await PostalMime.parse(Buffer.concat(chunks))
        if (refusing > 0) {
          refusing--
          refusals.push(mail)
          return done(Object.assign(new Error('Try again later'), { responseCode: 451 }))
        }
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          mail,
        })
        done()
      })
    },
  })
  // A client that dies in the middle of a mail is no fault of the server.
  server.on('error', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    refusals,
    /** The next so many mails are refused. */
    refuse: (count: number) => {
      refusing = count
    },
    to: (address: string) => received.filter(({ to }) => to.includes(address)).map(({ mail }) => mail),
    close: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
}
