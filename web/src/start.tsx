const steps = [
  'npx kith user create --email you@example.com --name "Your Name"',
  'npx kith workspace create --name "My company" --slug my-company --owner you@example.com',
  'npx kith token create --workspace my-company --user you@example.com --name first --abilities read,create,update,delete',
]

/** What a person sees who opens the address of the service. */
export function Start() {
  const api = `${window.location.origin}/api/v1`
  return (
    <main>
      <h1>Kith</h1>
      <p>
        The service is running. Make an account, a workspace and a token on the command line, in the folder of the
        service:
      </p>
      <pre>
        <code>{steps.join('\n')}</code>
      </pre>
      <p>
        The API answers at <code>{api}</code>. <a href="/docs">The reference</a> shows every endpoint.
      </p>
    </main>
  )
}
