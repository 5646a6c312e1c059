//! Formulas in the one form that their text has: no sum in a sum, no product in a product, no factor of one.

use record::Formula;

fn is_one(formula: &Formula) -> bool {
    *formula == Formula::exactly(1.0)
}

pub fn sum(a: Formula, b: Formula) -> Formula {
    let addends = |formula| match formula {
        Formula::Sum { of } => of,
        other => vec![other],
    };
    let mut of = addends(a);
    of.extend(addends(b));
    Formula::Sum { of }
}

/// A product ends with its divisions where it can: `a × (b / c)` is printed as `(a × b) / c` is, `a / b × b` and
/// `a × b / b` as `a`.
pub fn product(a: Formula, b: Formula) -> Formula {
    match (a, b) {
        (a, b) if is_one(&b) => a,
        (Formula::Quotient { of, by }, b) if *by == b => *of,
        (a, Formula::Product { of }) => of.into_iter().fold(a, product),
        (a, Formula::Quotient { of, by }) => quotient(product(a, *of), *by),
        (a, b) if is_one(&a) => b,
        (Formula::Product { mut of }, b) => {
            of.push(b);
            Formula::Product { of }
        }
        (a, b) => a.by(b),
    }
}

pub fn quotient(a: Formula, b: Formula) -> Formula {
    match a {
        a if is_one(&b) => a,
        Formula::Product { mut of } if of.last() == Some(&b) => {
            of.pop();
            of.into_iter().reduce(product).unwrap_or_else(|| Formula::exactly(1.0))
        }
        a => a.over(b),
    }
}
