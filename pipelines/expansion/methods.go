package expansion

// Methods lists the built-in methods, in the order in which they are shown.
func Methods() []Method {
	return []Method{
		hyde(),
		query2doc(),
		diagnosis(),
		cot(),
	}
}
