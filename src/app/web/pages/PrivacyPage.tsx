import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { settings } from '#web/settings.ts';
import { useTitle } from '#web/useTitle.ts';

const link = 'text-accent underline underline-offset-4';

export default function PrivacyPage() {
  useTitle('Privacy policy');
  const { productName, makerName } = settings;
  return (
    <article className="mx-auto max-w-2xl px-4 pt-6 pb-20 sm:px-6 sm:pt-10">
      <h1 className="text-3xl font-bold sm:text-4xl">Privacy policy</h1>
      <p className="mt-3 text-lg text-muted">
        {productName} is a project of {makerName}, a consulting company.
      </p>
      <Part title="Our privacy promise">
        <p>
          We ask for what organising a club needs and for nothing else. We do not sell your data, we show no
          advertising, and we do not watch what you do.
        </p>
        <ul className="list-disc space-y-1.5 pl-5">
          <li>We use no analytics.</li>
          <li>We use no cookies. Your login is kept in the local storage of your browser.</li>
          <li>Screens that you open stay in your browser for two weeks, or until you log out.</li>
          <li>No page loads anything from another company.</li>
        </ul>
      </Part>
      <Part title="Your information">
        <p>At sign-up and soon after we collect:</p>
        <ul className="list-disc space-y-1.5 pl-5">
          <li>your email address, with which you log in;</li>
          <li>your name, once you join or create a club;</li>
          <li>
            club information: the clubs you are in, your role there, and the events, attendances and updates
            that you and the other members enter.
          </li>
        </ul>
        <p>
          With each login we note how your browser names itself. Requests are counted by network address, to
          hold off floods of them.
        </p>
        <p>
          Members of a club see one another's names and pictures. Where a picture was taken is removed from
          it. Your email address is shown to the admins of your clubs and to no other user. It goes along when
          you send us feedback, so that we can answer.
        </p>
      </Part>
      <Part title="How we use data">
        <p>
          Your email address serves to send you login codes and what concerns your account, what happens in
          your clubs, and the events that you sign up for. You can switch off most of these emails. Your name
          tells the members of your clubs who you are. Club information is there to be shown to the members of
          the club; anyone with the link of an event may be shown what, when and where it is.
        </p>
        <p>
          Data is kept while your account is active. Some of it goes sooner: login codes a day after they
          expire, sessions after 30 days without use and after 90 in all, notifications after 90 days, invite
          links 30 days after they expire, an email that you changed after seven days, and the mark of having
          been removed from a club after a year.
        </p>
      </Part>
      <Part title="Legal basis">
        <p>
          The legal basis is your consent, which you give when you sign up. You can take it back at any time
          by deleting your account.
        </p>
      </Part>
      <Part title="Requesting your information">
        <p>
          Everything we hold about you is in your own hands under{' '}
          <Link to="/app/profile" className={link}>
            My Account
          </Link>
          . You can see and correct your profile there, see and end the sessions in which you are logged in,
          and download a copy of all your data as a file.
        </p>
        <p>
          You can delete your account there as well, at any time and without asking anybody. When an account
          is deleted, its data is deleted permanently, at once: your profile and pictures, your address, your
          places in clubs and events, your notifications, settings and feedback. Updates that you wrote and
          events that you hosted belong to the club and stay, without your name, and so do emails that have
          reached somebody. Where you are the only admin, you choose who takes over the club, or that it is
          deleted too.
        </p>
        <p>If you cannot log in any more, use the contact below, from the address of your account.</p>
      </Part>
      <Part title="How we protect data">
        <p>
          There is no password that could be stolen: each login needs a fresh code, which works once and for a
          short time. Login codes and sessions are stored only in a form from which they cannot be read back,
          and a mail with a code is forgotten once it is sent. Every request is checked against your
          membership, so that nobody outside a club sees who is in it or what is written there.
        </p>
      </Part>
      <Part title="How you can help">
        <p>
          Keep your mailbox safe, since anyone who reads it can log in as you. Send invite links and calendar
          addresses only to those they are meant for. Log out on devices that others use.
        </p>
      </Part>
      <Part title="Further information">
        <p>
          When you add a calendar address to the calendar of another provider, that provider fetches the
          events behind it. Its own privacy policy applies there.
        </p>
        <p>
          If you as an admin ask for an account with the payment provider Stripe, where that is offered, it
          gets your email address. We keep the number of that account and whether it is ready, and never see a
          card. When you delete your account here, we let go of it, and Stripe keeps its own records by its
          own policy.
        </p>
      </Part>
      <Part title="Changes">
        <p>
          When this policy changes, the new text stands on this page before the change takes effect. It always
          describes the version of {productName} that you are using.
        </p>
      </Part>
      <Part title="Contact" id="contact">
        <Contact />
      </Part>
    </article>
  );
}

function Part({ title, id, children }: { title: string; id?: string; children: ReactNode }) {
  return (
    <section id={id} className="mt-10 scroll-mt-6 space-y-3">
      <h2 className="text-xl font-bold">{title}</h2>
      {children}
    </section>
  );
}

function Contact() {
  const { supportEmail, makerName, makerUrl } = settings;
  if (supportEmail)
    return (
      <p>
        For questions about your data or help with the login, write to {makerName} at{' '}
        <a href={`mailto:${supportEmail}`} className={link}>
          {supportEmail}
        </a>
        .
      </p>
    );
  return (
    <>
      <p>
        No support address is set up for this site. For help with the login or questions about your data, ask
        an admin of your club or the person who sent you here.
      </p>
      {makerUrl !== '/' && (
        <p>
          You can also reach {makerName} through{' '}
          <a href={makerUrl} target="_blank" rel="noopener noreferrer" className={link}>
            its site
          </a>
          .
        </p>
      )}
      <p>If you run this site, set SUPPORT_EMAIL to show an address here.</p>
    </>
  );
}
