import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { queries } from '#web/queries.ts';
import { bindJoin, pendingInvite, takeReturnUrl } from '#web/first/after-login.ts';
import { useLoggedIn } from '#web/useLoggedIn.ts';
import { useTitle } from '#web/useTitle.ts';
import { Banner } from '#ui/Banner.tsx';
import { EmailForm } from './EmailForm.tsx';
import { EntryCard } from '#web/EntryCard.tsx';
import { useConfirmCode } from './useConfirmCode.ts';
import { isSameCode, useLoginCode } from './useLoginCode.ts';
import type { RequestedCode } from './useRequestCode.ts';
import { t } from '#features/auth/messages.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

const loadStep = () => import('./CodeStep.tsx');
const CodeStep = lazyPart(loadStep);
// Loaded on demand, because few visitors of this page are logged in.
const LoggedIn = lazyPart(() => import('./LoggedIn.tsx'));

export default function LoginPage() {
  useTitle(t('logIn'));
  // Preload the dialog, which is needed only after the form is submitted.
  useEffect(() => void loadStep().catch(() => {}), []);
  const navigate = useNavigate();
  // The email of a login link that no longer works.
  const { state } = useLocation() as { state: { email?: string } | null };
  const { code, remember, reopen, close } = useLoginCode();
  const enter = () => navigate(takeReturnUrl() ?? '/app', { replace: true });
  const { busy, confirm, forgetWrongCodes } = useConfirmCode(enter, close);
  // The state on mount: a user who logs in here is being redirected and must not see LoggedIn.
  const loggedIn = useLoggedIn();
  const [wasLoggedIn] = useState(loggedIn);
  const onSent = (sent: RequestedCode) => {
    bindJoin(sent.email);
    if (!isSameCode(code, sent)) forgetWrongCodes();
    remember(sent);
  };

  if (wasLoggedIn && loggedIn) {
    return (
      <EntryCard>
        <Suspense>
          <LoggedIn />
        </Suspense>
      </EntryCard>
    );
  }
  return (
    <EntryCard above={<InviteBanner />}>
      {code && (
        <Suspense>
          <CodeStep
            code={code}
            busy={busy}
            onConfirm={(entered) => confirm(code.email, entered)}
            onSent={onSent}
            onReopen={reopen}
            onClose={() => close()}
          />
        </Suspense>
      )}
      <EmailForm email={code?.email ?? state?.email} onSent={onSent} />
    </EntryCard>
  );
}

function InviteBanner() {
  const [token] = useState(pendingInvite);
  const { data: invite } = useQuery({ ...queries.invite(token ?? ''), enabled: Boolean(token) });
  return (
    invite && (
      <Banner tone="danger" className="w-full max-w-md">
        {t('loginToJoin', { club: invite.club_name })}
      </Banner>
    )
  );
}
