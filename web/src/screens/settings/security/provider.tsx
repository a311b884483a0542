import type { FactorsAnswer } from '@kith/contract/app/factors'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { connectProvider, disconnectProvider, factorsQuery } from '../../../api/factors.ts'
import { Button } from '../../../components/button.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { Section } from '../page.tsx'

/**
 * The provider of the installation: an account is connected to it on purpose, or because both know the address as
 * verified.
 */
export function Provider({ provider: { name, connected } }: { provider: NonNullable<FactorsAnswer['provider']> }) {
  const queries = useQueryClient()
  const failed = ({ message }: Error) => showToast({ tone: 'danger', message })
  const connecting = useMutation({
    mutationFn: () => connectProvider(window.location.pathname),
    onSuccess: ({ url }) => window.location.assign(url),
    onError: failed,
  })
  const disconnecting = useMutation({
    mutationFn: disconnectProvider,
    onSuccess: () => showToast({ message: `Disconnected from ${name}` }),
    onError: failed,
    onSettled: () => queries.invalidateQueries({ queryKey: factorsQuery.queryKey }),
  })
  return (
    <Section
      title={`Sign-in with ${name}`}
      text={
        connected
          ? 'Your account is connected.'
          : 'Connect your account to sign in there. The email address must be the same.'
      }
      extra={
        connected ? (
          <Button disabled={disconnecting.isPending} onClick={() => disconnecting.mutate()}>
            Disconnect
          </Button>
        ) : (
          <Button disabled={connecting.isPending || connecting.isSuccess} onClick={() => connecting.mutate()}>
            Connect
          </Button>
        )
      }
    />
  )
}
