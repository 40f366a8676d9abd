import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('feedback', {
  feedback: 'Feedback',
  feedbackText: "What do you like? What's missing? What gets in your way?",
  yourFeedback: 'Your feedback',
  feedbackMissing: 'Write a few words first.',
  feedbackNotSent: "Your feedback wasn't sent",
  home: 'Home',
  submitting: 'Submitting',
  submit: 'Submit',
  success: 'Success!',
  successText: 'Thank you for your feedback!',
  submitMore: 'Submit more!',
});
