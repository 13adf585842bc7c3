"""What customers write to a shop, in pieces: the texts of the demo are composed of these."""

from typing import Final, NamedTuple


class Topic(NamedTuple):
    """What tickets of one class say.

    Attributes:
        problems: Sentences that say what the ticket is about.
        details: Sentences that may follow.
        wishes: Sentences that say what should be done.
    """

    problems: tuple[str, ...]
    details: tuple[str, ...]
    wishes: tuple[str, ...]


TOPICS: Final[dict[str, Topic]] = {
    "billing": Topic(
        (
            "I was charged twice for order {order}.",
            "The invoice for order {order} says {amount}, but I agreed to {other_amount}.",
            "My card was debited {amount} on {date} and I have no idea what for.",
            "You took {amount} from my bank account although I cancelled in time.",
            "The voucher {code} was accepted and then not deducted from the total.",
            "VAT is missing on the invoice you sent me on {date}.",
            "I need the invoice made out to my company, not to me.",
            "The refund for the {product} was promised {days} days ago and has not arrived.",
            "Why did the price of the {product} go up by {amount} between cart and payment?",
            "Your payment reminder is wrong, I paid on {date} by bank transfer.",
            "I got a late fee of {amount} for a bill that I never received.",
            "Paying by card fails with 'declined', yet the bank says the money is reserved.",
            "My subscription was renewed for another year without any warning.",
            "The instalment of {amount} was taken on the wrong day and my bank returned it.",
            "On the receipt the {product} appears three times, I bought one.",
            "Can I change from paying monthly to paying once a year, and what does it cost?",
        ),
        (
            "The bank statement is attached.",
            "The total should have been {other_amount}.",
            "I paid with PayPal, if that matters.",
            "My accountant will not accept it like this.",
            "That is {amount} too much.",
            "The discount of ten percent is not on it either.",
            "The shipping costs are on it although delivery was free.",
            "It is about the payment of {date}.",
            "I already called the bank, they say it is up to you.",
        ),
        (
            "Please refund the difference.",
            "Please send me a corrected invoice.",
            "I want my money back.",
            "Stop charging my card, please.",
            "When can I expect the {amount}?",
            "Please explain this item.",
            "Could somebody look at the books?",
        ),
    ),
    "shipping": Topic(
        (
            "My parcel with order {order} has not arrived.",
            "The tracking number {code} has not moved since {weekday}.",
            "The {product} came with a dent and the box was torn open.",
            "You delivered a {other_product} instead of the {product} I ordered.",
            "The courier left the package in the rain in front of the door.",
            "It says delivered on {date}, but nobody here has seen a parcel.",
            "Can the delivery address be changed to my new flat in {city}?",
            "Half of the order is missing, there was only the {product} in the box.",
            "How long does shipping to {city} take?",
            "The driver rang at the neighbour's and then took the parcel back to the depot.",
            "Customs in {city} is holding my package and asks for papers from you.",
            "I will be away until {date}, please deliver after that.",
            "The return label you sent cannot be scanned at the post office.",
            "Express delivery was promised for {weekday}, now it is {days} days late.",
            "Where do I send the {product} back to, and who pays for the postage?",
            "The pickup station was full, so the parcel went back to the warehouse.",
        ),
        (
            "The tracking page only says 'in transit'.",
            "It was supposed to be a birthday present.",
            "The neighbours have nothing either.",
            "There was no card in the mailbox.",
            "Photos of the damage are attached.",
            "The courier does not answer the phone.",
            "The weight on the label does not fit at all.",
            "I took {weekday} off work to be at home.",
            "The house number is easy to miss, it is at the back.",
        ),
        (
            "Please find out where it is.",
            "Please send another one.",
            "Can you ship it again, by express this time?",
            "Please have it collected.",
            "When will it be here?",
            "I would rather pick it up at the depot.",
            "Please send me a new return label.",
        ),
    ),
    "technical": Topic(
        (
            "The {product} does not turn on any more.",
            "Since the update to version {version} the {product} loses its connection.",
            "The app crashes as soon as I open the settings.",
            "Error {error} appears whenever I try to sync.",
            "The {product} gets so hot that I cannot touch it.",
            "Pairing over Bluetooth works once and never again.",
            "The battery of the {product} lasts {days} hours instead of a day.",
            "The display of the {product} flickers when it is dimmed.",
            "I cannot install the driver, setup stops at 99 percent.",
            "The firmware update hangs, and the light has been blinking red since {weekday}.",
            "There is no sound on the left side of the {product}.",
            "The {product} is not found in our wifi, while the {other_product} is.",
            "Your website shows a blank page in Firefox when I filter by size.",
            "Exporting my data gives a file of zero bytes.",
            "The buttons of the {product} react only every second time.",
            "After {days} minutes the {product} restarts by itself.",
        ),
        (
            "I have restarted it twice.",
            "It is version {version}.",
            "A factory reset did not help.",
            "With another cable it is the same.",
            "It worked fine until {weekday}.",
            "The log ends with error {error}.",
            "My phone runs the latest system.",
            "The router is right beside it.",
            "The manual says nothing of this.",
        ),
        (
            "How do I get it working again?",
            "Is there a fix?",
            "Can I go back to the old version?",
            "Is that covered by the warranty?",
            "Which settings should I try?",
            "Please tell me how to reset it.",
            "Do you know of this problem?",
        ),
    ),
    "account": Topic(
        (
            "I cannot log in, the page says my password is wrong.",
            "The link to reset my password has expired each time it arrives.",
            "Please delete my account and everything you have stored about me.",
            "I want to change my e-mail address to {email}.",
            "Somebody from {city} has logged in to my account, and it was not me.",
            "The code for two-factor login never reaches my phone.",
            "My profile still shows my old name after the wedding.",
            "I have two accounts with the same address, can they be merged?",
            "Your system locked me out after three attempts.",
            "How can I see which data you keep on me?",
            "I would like to add my colleague {name} as a second user.",
            "The confirmation mail for my registration has not come.",
            "My customer number {code} is not recognised when I sign in.",
            "I unsubscribed and still get your newsletter every {weekday}.",
            "Where in my profile do I change the language?",
            "All my saved addresses and wish lists are gone since {date}.",
        ),
        (
            "I am sure that the password is right.",
            "I have looked in the spam folder.",
            "My user name is {email}.",
            "I have had this account for {days} years.",
            "The phone number in the profile is out of date.",
            "Signing in with Google does not work either.",
            "It worked on my old computer.",
            "Nobody else knows the password.",
            "The help page sends me in circles.",
        ),
        (
            "Please unlock it.",
            "Please confirm once that is done.",
            "Can you reset it by hand?",
            "Please sign me out everywhere.",
            "How do I get back in?",
            "Please change that for me.",
            "Whom do I ask about this?",
        ),
    ),
}

GREETINGS: Final = (
    "Hello,", "Hi there,", "Dear team,", "Good morning,", "Hi,", "To whom it may concern,", "Hey,",
    "Dear Sir or Madam,",
)  # fmt: skip
ASIDES: Final = (
    "This is the second time I write about it.",
    "I have been a customer for {days} years and this never happened before.",
    "It is about order {order}.",
    "Your chat sent me here.",
    "I waited on the phone for {days} minutes.",
    "I bought the {product} on {date}.",
    "Sorry if this is the wrong address.",
    "It is rather urgent.",
    "I like your shop otherwise.",
)
CLOSINGS: Final = (
    "Thanks, {name}", "Best regards\n{name}", "Kind regards,\n{name}", "Thank you!",
    "Cheers {name}", "Yours sincerely,\n{name}", "- {name}", "Sent from my phone",
)  # fmt: skip
