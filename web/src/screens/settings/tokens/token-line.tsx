import type { TokenRow } from '@kith/contract/app/tokens'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { revokeToken } from '../../../api/tokens.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Confirm } from '../../../components/confirm.tsx'
import { Pill } from '../../../components/pill.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { formatAgo, formatMoment, formatMomentExactly } from '../../../format/moments.ts'
import { abilityWords } from './ability-words.ts'

/** A token that works, or has expired; never the secret itself. */
export function TokenLine({ token, named }: { token: TokenRow; named: boolean }) {
  const slug = useSlug()
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)
  const revoking = useMutation({
    mutationFn: () => revokeToken(slug, token.id),
    onSuccess: () => showToast({ message: `Revoked ${token.name}` }),
    onError: ({ message }) => showToast({ tone: 'danger', message }),
    onSettled: () => queries.invalidateQueries({ queryKey: [slug, 'tokens'] }),
  })
  const expired = token.expires_at !== null && Date.parse(token.expires_at) <= Date.now()
  return (
    <li className="flex items-start gap-3 py-3">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="text-sm font-medium wrap-anywhere">{token.name}</span>
          {expired && <Pill tint="amber">Expired</Pill>}
          {token.abilities.map((ability) => (
            <Pill key={ability}>{abilityWords[ability].name}</Pill>
          ))}
        </p>
        <p className="mt-1 text-xs text-faint">
          {named && `${token.user.name} · `}
          {token.last_used_at === null ? (
            'Never used'
          ) : (
            <>
              Last used{' '}
              <time dateTime={token.last_used_at} title={formatMomentExactly(token.last_used_at)}>
                {formatAgo(token.last_used_at)}
              </time>
            </>
          )}
          {' · '}
          <span className="whitespace-nowrap">{expiryWords(token, expired)}</span>
          {' · '}
          <time dateTime={token.created_at} title={formatMomentExactly(token.created_at)} className="whitespace-nowrap">
            Made {formatAgo(token.created_at)}
          </time>
        </p>
      </div>
      <Button
        size="small"
        disabled={revoking.isPending}
        aria-label={`Revoke ${token.name}`}
        onClick={() => setAsking(true)}
      >
        Revoke
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={`Revoke ${token.name}?`}
        action="Revoke"
        onConfirm={() => revoking.mutate()}
      >
        Whatever uses it is refused from now on. This cannot be undone.
      </Confirm>
    </li>
  )
}

function expiryWords({ expires_at }: TokenRow, expired: boolean): string {
  if (expires_at === null) return 'No expiry'
  return `${expired ? 'Expired' : 'Expires'} ${formatMoment(expires_at)}`
}
